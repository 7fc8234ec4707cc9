// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.graph;

import java.lang.System.Logger.Level;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import org.jhal.GraphStatistics;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.PreparedCommands;
import org.jhal.driver.Submission;
import org.jhal.engine.flightrecorder.FlightRecorder;
import org.jhal.engine.flightrecorder.Span;
import org.jhal.gpu.runtime.GpuCore;
import org.jhal.gpu.runtime.GraphRuntime;
import org.jspecify.annotations.Nullable;

/**
 * All graphs of a device: makes instances, limits their memory, and counts.
 *
 * <p>Thread-safe.
 */
public final class GraphCache {
  /** Why commands that could be a graph are issued one by one; the text is for statistics. */
  enum Fallback {
    BEING_MADE("its graph is being made"),
    OUT_OF_MEMORY("no memory for its graph"),
    REFUSED("the runtime refused its graph"),
    OTHER_MEMORY("a slot has memory of another kind"),
    IN_FLIGHT("its graph cannot be changed in flight"),
    GIVEN_UP("its graph was refused or given up lately"),
    SHARE("graphs do not keep to the share of a queue"),
    INDIRECT("the host reads the grid of a dispatch"),
    COOPERATIVE("workgroups of a dispatch wait for each other"),
    TIMED("the times of its commands are recorded");

    private final String text;

    Fallback(String text) {
      this.text = text;
    }

    String text() {
      return text;
    }

    /** The reason for a failed call that makes or changes a graph. */
    static Fallback of(HalException failure) {
      return failure.status() == Status.RESOURCE_EXHAUSTED ? OUT_OF_MEMORY : REFUSED;
    }
  }

  private static final System.Logger LOG = System.getLogger(GraphCache.class.getName());

  /** The largest number of a recording's instances for one stream. */
  static final int MOST_PER_STREAM = 4;

  /** The same for those that are made because none can be set while it is in flight. */
  static final int MOST_IN_FLIGHT = 2;

  private final GpuCore core;
  private final GraphRuntime graphs;
  private final GraphOptions options;

  /** Those being built, and those that can be launched. */
  private final Set<GraphInstance<?>> instances = ConcurrentHashMap.newKeySet();

  private final AtomicLong used = new AtomicLong(); // bytes, with those of instances being built
  private final LongAdder launches = new LongAdder();
  private final LongAdder nodesSet = new LongAdder();
  private final AtomicLongArray fallbacks = new AtomicLongArray(Fallback.values().length);
  private final Set<Fallback> logged = ConcurrentHashMap.newKeySet();
  private final ConcurrentLinkedDeque<Long> uploads = new ConcurrentLinkedDeque<>(); // free streams

  public GraphCache(GpuCore core, GraphRuntime graphs, GraphOptions options) {
    this.core = core;
    this.graphs = graphs;
    this.options = options;
  }

  GraphRuntime graphs() {
    return graphs;
  }

  /** Whether the issuing thread makes instances itself, before their first use. */
  boolean makesAtOnce() {
    return options.isAlways();
  }

  /** What a stream launches single commands with; null if the runtime has no use for it. */
  public @Nullable OneNodeGraphs oneNodes() {
    return graphs.mayBeSetInFlight() ? new OneNodeGraphs(this, core.place()) : null;
  }

  /** Graphs for a list of commands, or null if no command has an effect. */
  public @Nullable PreparedCommands prepare(CommandList commands) {
    if (commands.hasIndirectDispatch()) {
      return new GraphSet(this, null, Fallback.INDIRECT);
    }
    if (hasCooperativeDispatch(commands)) {
      return new GraphSet(this, null, Fallback.COOPERATIVE);
    }
    GraphPlan plan = GraphPlan.of(commands);
    return plan.size() == 0 ? null : new GraphSet(this, plan, Fallback.REFUSED);
  }

  private static boolean hasCooperativeDispatch(CommandList commands) {
    for (int i = 0; i < commands.size(); i++) {
      Command command = commands.get(i);
      if (command.kind().runsKernel() && command.kernel().isCooperative()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Plans an instance of a recording's graph, with the addresses of a submission.
   *
   * @throws ArithmeticException as {@link GraphNodes}
   */
  GraphInstance<GraphNodes> plan(GraphPlan plan, GraphStream stream, Submission submission) {
    GraphNodes nodes = new GraphNodes(core, graphs, plan, stream.context());
    nodes.capture(submission);
    return new GraphInstance<>(core, stream, graphs, nodes);
  }

  /** Plans an instance of a {@link OneNode}, with the parameters of a command in a submission. */
  GraphInstance<OneNode> plan(
      Command command, GraphStream stream, Submission submission, long staging) {
    OneNode node = new OneNode(core, graphs, command, submission, staging, stream.context());
    return new GraphInstance<>(core, stream, graphs, node);
  }

  // Making.

  /**
   * Builds a planned instance, with the device bound. Returns null, or why it is not ready.
   *
   * @throws HalException UNAVAILABLE if the device is lost
   */
  @Nullable Fallback build(GraphInstance<?> planned) {
    Span span = FlightRecorder.graph(planned.size());
    Fallback reason = Fallback.GIVEN_UP;
    try {
      reason = tryToBuild(planned);
      return reason;
    } finally {
      Span.end(span, reason == null ? null : reason.text());
    }
  }

  private @Nullable Fallback tryToBuild(GraphInstance<?> planned) {
    boolean isReserved = false;
    boolean isBuilt = false;
    try {
      reserve(planned.bytes());
      isReserved = true;
      instances.add(planned);
      Long free = uploads.pollFirst();
      long stream = free != null ? free : core.runtime().openStream();
      try {
        planned.build(stream);
        isBuilt = true;
      } finally {
        uploads.addFirst(stream);
      }
      return null;
    } catch (HalException e) {
      if (e.status() == Status.UNAVAILABLE) {
        throw e;
      }
      return refused(e);
    } finally {
      if (!isBuilt && planned.take()) {
        try {
          planned.destroy();
        } finally {
          instances.remove(planned);
          if (isReserved) {
            used.addAndGet(-planned.bytes());
          }
        }
      }
    }
  }

  private void reserve(long bytes) {
    for (long before = used.get(); ; before = used.get()) {
      if (before + bytes <= options.memory()) {
        if (used.compareAndSet(before, before + bytes)) {
          return;
        }
      } else if (!evictOldest()) {
        throw new HalException(
            Status.RESOURCE_EXHAUSTED,
            ("a graph needs about %s bytes; graphs in use have %s of the %s that"
                    + " graph-memory allows")
                .formatted(bytes, before, options.memory()));
      }
    }
  }

  // Ending.

  /**
   * Destroys the least recently used idle instance, because memory is short. Returns false if there
   * is none. The device is bound.
   */
  public boolean evictOldest() {
    for (GraphInstance<?> oldest = oldestIdle(); oldest != null; oldest = oldestIdle()) {
      if (evict(oldest)) {
        return true;
      }
    }
    return false;
  }

  private @Nullable GraphInstance<?> oldestIdle() {
    GraphInstance<?> oldest = null;
    long since = 0;
    for (GraphInstance<?> instance : instances) {
      long lastUse = instance.lastUse();
      boolean isOlder = oldest == null || lastUse - since < 0;
      if (isOlder && instance.isReady() && instance.isIdle()) {
        oldest = instance;
        since = lastUse;
      }
    }
    return oldest;
  }

  private boolean evict(GraphInstance<?> instance) {
    if (!instance.claim()) {
      return false;
    }
    try {
      if (!instance.isIdle()) {
        return false;
      }
      instance.destroyClaimed();
      return true;
    } finally {
      instance.unclaim(); // unless it is out of use now
      if (instance.isDestroyed()) { // else its recording may just have ended
        forget(instance);
      }
    }
  }

  /**
   * Destroys an unused instance soon, and before any module that is unloaded after this call. May
   * be called again. Never throws.
   */
  void retire(GraphInstance<?> instance) {
    boolean isOurs = instance.take();
    if (!isOurs && instance.isDestroyed()) {
      return;
    }
    try {
      core.frees().free(() -> end(instance, isOurs));
    } catch (RuntimeException | LinkageError | VirtualMachineError e) { // no thread can be started
      if (isOurs) {
        core.runtime().giveBack(() -> destroy(instance));
      } else {
        instance.awaitDestroyed();
      }
    }
  }

  private void end(GraphInstance<?> instance, boolean isOurs) {
    if (isOurs) {
      destroy(instance);
    } else { // another thread is evicting it
      instance.awaitDestroyed();
    }
  }

  /**
   * Destroys an instance that the caller has taken. It is no longer counted, even if this throws.
   */
  private void destroy(GraphInstance<?> instance) {
    try {
      instance.destroy();
    } finally {
      forget(instance);
    }
  }

  private void forget(GraphInstance<?> instance) {
    if (instances.remove(instance)) {
      used.addAndGet(-instance.bytes());
    }
  }

  /** Destroys the remaining instances. Called last, with the device bound. */
  public void close() {
    for (GraphInstance<?> instance : instances) {
      if (instance.take()) {
        core.runtime().giveBack(() -> destroy(instance));
      }
    }
    for (Long stream = uploads.poll(); stream != null; stream = uploads.poll()) {
      core.runtime().closeStream(stream);
    }
  }

  // Statistics.

  void countLaunch() {
    launches.increment();
  }

  void countSet(int nodes) {
    nodesSet.add(nodes);
  }

  /** Counts a submission that is issued command by command. */
  void count(Fallback reason) {
    fallbacks.incrementAndGet(reason.ordinal());
    FlightRecorder.fallback(reason.text());
  }

  /** The reason for a failed call; logs its first occurrence. */
  Fallback refused(HalException failure) {
    Fallback reason = Fallback.of(failure);
    if (logged.add(reason)) {
      String text = core.name() + ": commands are issued one by one (" + reason.text() + ")";
      if (reason == Fallback.OUT_OF_MEMORY) { // expected with a low setting
        LOG.log(Level.INFO, text + ": " + failure.getMessage());
      } else {
        LOG.log(Level.INFO, text, failure);
      }
    }
    return reason;
  }

  public GraphStatistics statistics() {
    Map<String, Long> reasons = new LinkedHashMap<>();
    for (Fallback reason : Fallback.values()) {
      long count = fallbacks.get(reason.ordinal());
      if (count > 0) {
        reasons.put(reason.text(), count);
      }
    }
    long usable = instances.stream().filter(GraphInstance::isUsable).count();
    return new GraphStatistics(usable, used.get(), launches.sum(), nodesSet.sum(), reasons);
  }
}
