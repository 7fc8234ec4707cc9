// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.graph;

import com.google.common.util.concurrent.Uninterruptibles;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.gpu.runtime.GpuCore;
import org.jhal.gpu.runtime.GraphRuntime;
import org.jspecify.annotations.Nullable;

/**
 * A native graph for one stream, with the present parameters of its nodes.
 *
 * <p>Owned by the thread that builds it while it is PLANNED, and by the one that launches it while
 * it is BUSY. Other threads use the state only.
 */
final class GraphInstance<C extends GraphContent> {
  private enum State {
    /** Its content is known; nothing native exists. */
    PLANNED,
    READY,
    /** A thread sets or launches it. */
    BUSY,
    /** It is out of use. The thread that set this destroys it, unless nothing native exists. */
    GONE
  }

  /** Roughly how much memory of the device a node takes up; see docs/results/README.md. */
  private static final long BYTES_PER_NODE = 2560;

  private final GpuCore core;
  private final GraphStream stream;
  private final @Nullable Object place; // of the stream when this was planned
  private final GraphRuntime graphs;
  private final AtomicReference<State> state = new AtomicReference<>(State.PLANNED);

  private final AtomicBoolean isEnding = new AtomicBoolean(); // destroy() was called

  /** Opened once nothing native is left. */
  private final CountDownLatch destroyed = new CountDownLatch(1);

  // These belong to the owner.
  private final C content;
  private long graph;
  private long instance;

  // Written by the owner, read by all threads.
  private volatile long launchPosition; // of the recording behind the last launch
  private volatile long lastUse; // System.nanoTime()

  /** Plans an instance for launches into {@code stream}. */
  GraphInstance(GpuCore core, GraphStream stream, GraphRuntime graphs, C content) {
    this.core = core;
    this.stream = stream;
    this.place = stream.place();
    this.graphs = graphs;
    this.content = content;
  }

  /** Its approximate memory, on the device and page-locked. */
  long bytes() {
    return BYTES_PER_NODE * content.size() + content.pinnedBytes();
  }

  /**
   * Makes the native graph and uploads it. Turns a PLANNED instance of the calling owner into a
   * READY one. If this throws, the owner destroys the remains.
   *
   * @param uploads a stream for this call alone
   */
  void build(long uploads) {
    graph = graphs.create();
    content.addTo(graph);
    long made = graph;
    instance = core.runtime().gate().call(() -> graphs.instantiate(made));
    graphs.upload(instance, uploads);
    core.runtime().synchronizeStream(uploads);
    lastUse = System.nanoTime();
    state.set(State.READY);
  }

  // Launching, by the thread that issues to the stream.

  /** Claims it to set, launch or evict it. Returns false if it is not READY. */
  boolean claim() {
    return state.compareAndSet(State.READY, State.BUSY);
  }

  /** Ends a claim, unless it was taken out of use. */
  void unclaim() {
    state.compareAndSet(State.BUSY, State.READY);
  }

  /** For the thread that has claimed it. */
  C content() {
    return content;
  }

  /** The native instance. For the thread that has claimed it. */
  long handle() {
    return instance;
  }

  void launch() {
    launchPosition = stream.nextPosition();
    graphs.launch(instance, stream.handle());
    lastUse = System.nanoTime();
  }

  // State and end.

  /**
   * Whether the stream has another place now. A graph runs where it was made for, so this must not
   * be launched any more. For the thread that issues.
   */
  boolean isElsewhere() {
    return place != stream.place();
  }

  boolean isPlanned() {
    return state.get() == State.PLANNED;
  }

  /** Whether no launch of it is in the stream. May ask the runtime; the device is bound. */
  boolean isIdle() {
    return stream.isPast(launchPosition);
  }

  int size() {
    return content.size();
  }

  /** When it was built or last launched, as {@link System#nanoTime}. */
  long lastUse() {
    return lastUse;
  }

  boolean isReady() {
    return state.get() == State.READY;
  }

  boolean isUsable() {
    State now = state.get();
    return now == State.READY || now == State.BUSY;
  }

  boolean isDestroyed() {
    return destroyed.getCount() == 0;
  }

  /**
   * Takes a claimed one out of use and destroys it, unless another thread has taken it. The calling
   * user's thread may run out of stack anywhere. Until it is taken here, the end of its recording
   * takes it; afterwards the latch opens in any case.
   */
  void destroyClaimed() {
    if (state.compareAndSet(State.BUSY, State.GONE)) {
      try {
        destroy();
      } finally {
        destroyed.countDown();
      }
    }
  }

  /** Takes it out of use. Returns whether the caller must destroy it. */
  boolean take() {
    return state.getAndSet(State.GONE) != State.GONE;
  }

  /**
   * Destroys its native objects, once, on the thread that has taken it. Does all steps even if one
   * throws, such as with a stack overflow, since other threads wait for the end.
   */
  void destroy() {
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
          content.close();
        } finally {
          destroyed.countDown();
        }
      }
    }
  }

  void awaitDestroyed() {
    Uninterruptibles.awaitUninterruptibly(destroyed);
  }
}
