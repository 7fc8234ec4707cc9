package org.jhal.gpu.graph;

import com.google.common.util.concurrent.Uninterruptibles;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.driver.Submission;
import org.jhal.gpu.runtime.GpuCore;
import org.jhal.gpu.runtime.GraphRuntime;

/**
 * A native graph of a recording for one stream, with the addresses that its nodes have now.
 *
 * <p>A thread owns it while it is PLANNED (who builds it) or BUSY (who launches it). Only the state
 * is for all threads.
 */
final class GraphInstance {
  private enum State {
    /** Its nodes have their addresses; nothing native exists. */
    PLANNED,
    /** It can be launched. */
    READY,
    /** A thread sets or launches it. */
    BUSY,
    /** It is out of use: who made it so destroys it, unless nothing native exists. */
    GONE
  }

  /** Roughly how much memory of the device a node takes up; see docs/results/README.md. */
  private static final long BYTES_PER_NODE = 2560;

  private final GpuCore core;
  private final GraphStream stream;
  private final GraphRuntime graphs;
  private final GraphPlan plan;
  private final AtomicReference<State> state = new AtomicReference<>(State.PLANNED);

  private final AtomicBoolean isEnding = new AtomicBoolean(); // destroy() was called

  /** Opened once nothing native exists any more. */
  private final CountDownLatch destroyed = new CountDownLatch(1);

  // These belong to the owner.
  private final GraphNodes nodes;
  private long graph;
  private long instance;

  // Written by the owner, read by all threads.
  private volatile long launchPosition; // of the recording behind the last launch
  private volatile long lastUse; // System.nanoTime()

  /**
   * Plans an instance for launches into {@code stream}, with the addresses of a submission.
   *
   * @throws ArithmeticException as {@link GraphNodes}
   */
  GraphInstance(
      GpuCore core,
      GraphStream stream,
      GraphRuntime graphs,
      GraphPlan plan,
      Submission submission) {
    this.core = core;
    this.stream = stream;
    this.graphs = graphs;
    this.plan = plan;
    this.nodes = new GraphNodes(core, graphs, plan);
    nodes.capture(submission);
  }

  /** Roughly how much memory it takes up, of the device and page-locked. */
  long bytes() {
    return BYTES_PER_NODE * plan.size() + nodes.updateBytes();
  }

  /**
   * Makes the native graph, and puts it on the core. For the owner of a PLANNED one, which is then
   * READY. If this throws, the owner destroys what there is.
   *
   * @param uploads a stream that nobody else uses meanwhile
   */
  void build(long uploads) {
    graph = graphs.create();
    nodes.addTo(graph);
    long made = graph;
    instance = core.runtime().gate().call(() -> graphs.instantiate(made));
    graphs.upload(instance, uploads);
    core.runtime().synchronizeStream(uploads);
    lastUse = System.nanoTime();
    state.set(State.READY);
  }

  // Launching, by the thread that issues to the stream.

  /** Claims it for setting, launching or evicting it. Returns false if it is not READY. */
  boolean claim() {
    return state.compareAndSet(State.READY, State.BUSY);
  }

  /** Ends a claim, unless it was taken out of use meanwhile. */
  void unclaim() {
    boolean ignored = state.compareAndSet(State.BUSY, State.READY);
  }

  /** See {@link GraphNodes#changedSlots}. For the thread that has claimed it. */
  long changedSlots(Submission submission) {
    return nodes.changedSlots(submission);
  }

  /** See {@link GraphNodes#isOtherMemory}. For the thread that has claimed it. */
  boolean isOtherMemory(long changed, Submission submission) {
    return nodes.isOtherMemory(changed, submission);
  }

  /** See {@link GraphNodes#set}. For the thread that has claimed it. */
  int set(long changed, Submission submission) {
    return nodes.set(instance, changed, submission);
  }

  /** Launches it. For the thread that has claimed it. */
  void launch() {
    launchPosition = stream.nextPosition();
    graphs.launch(instance, stream.handle());
    lastUse = System.nanoTime();
  }

  // State and end.

  boolean isPlanned() {
    return state.get() == State.PLANNED;
  }

  /** Whether the stream has passed its last launch. */
  boolean isIdle() {
    return launchPosition <= stream.fired();
  }

  /** How many nodes it has. */
  int size() {
    return plan.size();
  }

  /** When it was built or last launched, as {@link System#nanoTime} counts. */
  long lastUse() {
    return lastUse;
  }

  boolean isReady() {
    return state.get() == State.READY;
  }

  /** Whether it can be launched, or is just being launched. */
  boolean isUsable() {
    State now = state.get();
    return now == State.READY || now == State.BUSY;
  }

  /** Whether it is out of use and nothing native is left of it. */
  boolean isDestroyed() {
    return destroyed.getCount() == 0;
  }

  /**
   * Takes a claimed one out of use and destroys it, unless another thread has taken it. For a
   * thread of a user, which may run out of stack anywhere: before it is taken here, its recording's
   * end still takes it, and afterwards the latch opens in any case.
   */
  void destroyClaimed() {
    if (state.compareAndSet(State.BUSY, State.GONE)) {
      try {
        destroy(false);
      } finally {
        destroyed.countDown();
      }
    }
  }

  /** Takes it out of use, whatever its state. Returns whether the caller has to destroy it. */
  boolean take() {
    return state.getAndSet(State.GONE) != State.GONE;
  }

  /**
   * Destroys what is native, once. For the thread that has taken it. If a step throws, such as an
   * overflow of a user's stack, the others are done all the same, since other threads wait for the
   * end.
   *
   * @param mayWait whether the thread may wait until the device is idle; if not, another one does
   */
  void destroy(boolean mayWait) {
    if (!isEnding.compareAndSet(false, true)) {
      return;
    }
    try {
      if (instance != 0) {
        core.runtime().gate().run(() -> graphs.destroyInstance(instance));
      }
    } finally {
      try {
        if (graph != 0) {
          graphs.destroy(graph);
        }
      } finally {
        try {
          nodes.close(mayWait);
        } finally {
          destroyed.countDown();
        }
      }
    }
  }

  /** Waits until the thread that has taken it has destroyed it. */
  void awaitDestroyed() {
    Uninterruptibles.awaitUninterruptibly(destroyed);
  }
}
