package org.jhal.driver.gpu;

import java.lang.System.Logger.Level;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
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
import org.jspecify.annotations.Nullable;

/**
 * All graphs of a device: makes instances, limits how much memory they take up, and counts.
 *
 * <p>Thread-safe.
 *
 * @param <S> the native stream
 * @param <K> the native kernel
 */
final class GraphCache<S, K> {
  private static final System.Logger LOG = System.getLogger(GraphCache.class.getName());

  /** How many instances a recording has for one stream at most. */
  static final int MOST_PER_STREAM = 2;

  private final GpuDevice<S, ?, K> device;
  private final GraphRuntime<S, K> graphs;
  private final GraphOptions options;

  /** Those that are READY or BUSY. */
  private final Set<GraphInstance<S, K>> instances = ConcurrentHashMap.newKeySet();

  private final AtomicLong used = new AtomicLong(); // bytes, those of instances being built included
  private final LongAdder launches = new LongAdder();
  private final LongAdder nodesSet = new LongAdder();
  private final AtomicLongArray fallbacks = new AtomicLongArray(GraphFallback.values().length);
  private final ConcurrentLinkedDeque<S> uploads = new ConcurrentLinkedDeque<>(); // free streams

  GraphCache(GpuDevice<S, ?, K> device, GraphRuntime<S, K> graphs, GraphOptions options) {
    this.device = device;
    this.graphs = graphs;
    this.options = options;
  }

  GraphRuntime<S, K> graphs() {
    return graphs;
  }

  /** Whether the thread that issues makes an instance itself, before it is first used. */
  boolean makesAtOnce() {
    return options.isAlways();
  }

  /** Graphs for a list of commands, or null if it is better issued command by command. */
  @Nullable PreparedCommands prepare(CommandList commands, int streams) {
    int count = 0;
    for (int i = 0; i < commands.size(); i++) {
      if (commands.get(i).kind() != Command.Kind.BARRIER) {
        count++;
      }
    }
    return count < options.fewestCommands()
        ? null
        : new GraphSet<>(this, GraphPlan.of(commands), streams);
  }

  GraphInstance<S, K> plan(GraphPlan plan, GpuStream<S, ?, K> stream) {
    return new GraphInstance<>(device, stream, graphs, plan);
  }

  // Making.

  /**
   * Builds a planned instance. Returns why that is not possible, or null if it is ready. The device
   * is bound.
   *
   * @throws HalException UNAVAILABLE if the device is lost
   */
  @Nullable GraphFallback build(GraphInstance<S, K> planned) {
    try {
      reserve(planned.bytes());
    } catch (HalException e) {
      boolean ignored = planned.take(); // nothing native exists yet
      return refused(e);
    }
    boolean isBuilt = false;
    try {
      S stream = uploads.pollFirst();
      if (stream == null) {
        stream = device.runtime().createStream();
      }
      try {
        planned.build(stream);
      } finally {
        uploads.addFirst(stream);
      }
      isBuilt = true;
      instances.add(planned);
      return null;
    } catch (HalException e) {
      if (e.status() == Status.UNAVAILABLE) {
        throw e;
      }
      return refused(e);
    } finally {
      if (!isBuilt) {
        boolean ignored = planned.take();
        used.addAndGet(-planned.bytes());
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
            "a graph needs about "
                + bytes
                + " bytes; graphs in use have "
                + before
                + " of the "
                + options.memory()
                + " that graph-memory allows");
      }
    }
  }

  // Ending.

  /** Destroys the instance that was not used for the longest time. Returns false if all are in use. */
  private boolean evictOldest() {
    for (GraphInstance<S, K> oldest :
        instances.stream().sorted(Comparator.comparingLong(GraphInstance::lastUse)).toList()) {
      if (evict(oldest)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Destroys all instances that are not in use, because memory is short. Returns whether there were
   * any. The device is bound.
   */
  boolean evictAll() {
    boolean any = false;
    for (GraphInstance<S, K> instance : instances) {
      any |= evict(instance);
    }
    return any;
  }

  private boolean evict(GraphInstance<S, K> instance) {
    if (!instance.claim()) {
      return false;
    }
    if (!instance.isIdle()) {
      instance.unclaim();
      return false;
    }
    if (instance.takeClaimed()) { // otherwise its recording has just ended
      destroy(instance, false);
    }
    return true;
  }

  /** Has an instance destroyed soon that nothing uses any more; may be called again. */
  void retire(GraphInstance<S, K> instance) {
    if (instance.take()) {
      device.frees().free(() -> destroy(instance, true));
    }
  }

  private void destroy(GraphInstance<S, K> instance, boolean mayWait) {
    instances.remove(instance);
    instance.destroyNative(mayWait);
    used.addAndGet(-instance.bytes());
  }

  /** Destroys what is left. Called last, with the device bound. */
  void close() {
    for (GraphInstance<S, K> instance : instances) {
      if (instance.take()) {
        destroy(instance, true);
      }
    }
    for (S stream = uploads.poll(); stream != null; stream = uploads.poll()) {
      device.runtime().destroyStream(stream);
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
  void count(GraphFallback reason) {
    fallbacks.incrementAndGet(reason.ordinal());
  }

  /** The reason for a failed call, which is logged the first time. */
  GraphFallback refused(HalException failure) {
    GraphFallback reason = GraphFallback.of(failure);
    if (fallbacks.get(reason.ordinal()) == 0) {
      LOG.log(
          Level.INFO,
          device.name() + ": commands are issued one by one, since " + reason.text(),
          failure);
    }
    return reason;
  }

  GraphStatistics statistics() {
    Map<String, Long> reasons = new LinkedHashMap<>();
    for (GraphFallback reason : GraphFallback.values()) {
      long count = fallbacks.get(reason.ordinal());
      if (count > 0) {
        reasons.put(reason.text(), count);
      }
    }
    return new GraphStatistics(
        instances.size(), used.get(), launches.sum(), nodesSet.sum(), reasons);
  }
}
