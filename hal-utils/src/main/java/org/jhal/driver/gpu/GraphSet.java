package org.jhal.driver.gpu;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.PreparedCommands;
import org.jhal.driver.Submission;
import org.jspecify.annotations.Nullable;

/**
 * The graphs of one recording: for each stream its own instances, since launches of one instance on
 * several streams run one after the other.
 *
 * @param <S> the native stream
 * @param <K> the native kernel
 */
final class GraphSet<S, K> implements PreparedCommands {
  private final GraphCache<S, K> cache;
  private final GraphPlan plan;
  private final AtomicReferenceArray<@Nullable OnStream> streams; // by the stream's index

  /** Graphs for {@code streams} streams. */
  GraphSet(GraphCache<S, K> cache, GraphPlan plan, int streams) {
    this.cache = cache;
    this.plan = plan;
    this.streams = new AtomicReferenceArray<>(streams);
  }

  /** Whether a submission to a stream would be launched now, as far as this can be foreseen. */
  boolean isReady(int stream) {
    OnStream graphs = streams.get(stream);
    return graphs != null && graphs.isReady();
  }

  /** Whether the thread that issues the next submission to a stream makes an instance. */
  boolean makesNext(int stream) {
    return cache.makesAtOnce() && !isReady(stream);
  }

  /**
   * Launches a submission as a graph, or puts it back until there is room for its commands one by
   * one. Returns false if they have to be issued one by one now. For the thread that issues to the
   * stream.
   *
   * @throws HalException if the launch failed, or the device is lost
   */
  boolean issue(GpuStream<S, ?, K> stream, Submission submission) {
    OnStream graphs = streams.get(stream.index());
    if (graphs == null) {
      graphs = new OnStream();
      streams.set(stream.index(), graphs);
    }
    return graphs.issue(stream, submission);
  }

  @Override
  public void close() {
    for (int i = 0; i < streams.length(); i++) {
      OnStream graphs = streams.get(i);
      if (graphs != null) {
        graphs.instances.forEach(cache::retire);
      }
    }
  }

  /** The instances for one stream. Changed by the thread that issues to it. */
  private final class OnStream {
    /**
     * Replaced, never changed, as other threads read it. Two where a runtime cannot change an
     * instance in flight, otherwise one.
     */
    volatile List<GraphInstance<S, K>> instances = List.of();

    private long submissions;
    private long nextTry; // makes no instance before this many submissions
    private long pause = 4; // how many submissions until the next try if one fails

    /** The last submission was put back, so it is the next one too. */
    private boolean isPutBack;

    boolean isReady() {
      for (GraphInstance<S, K> instance : instances) {
        if (instance.isUsable()) {
          return true;
        }
      }
      return false;
    }

    boolean issue(GpuStream<S, ?, K> stream, Submission submission) {
      if (isPutBack) {
        isPutBack = false;
        return false;
      }
      GraphFallback reason = launch(stream, submission);
      if (reason == null) {
        cache.countLaunch();
        return true;
      }
      cache.count(reason);
      if (submission.hasRoomForEach()) {
        return false;
      }
      submission.putBack();
      isPutBack = true;
      return true;
    }

    /** Launches a submission; returns why not, or null if it did. */
    private @Nullable GraphFallback launch(GpuStream<S, ?, K> stream, Submission submission) {
      submissions++;
      dropGone();
      GraphFallback reason = null;
      for (GraphInstance<S, K> instance : instances) {
        reason = instance.isPlanned() ? GraphFallback.BEING_MADE : launch(instance, submission);
        if (reason == null) {
          return null;
        }
      }
      boolean isRoom = instances.size() < GraphCache.MOST_PER_STREAM;
      return reason == null || (reason == GraphFallback.IN_FLIGHT && isRoom)
          ? make(stream, submission)
          : reason;
    }

    private void dropGone() {
      for (GraphInstance<S, K> instance : instances) {
        if (instance.isGone()) {
          remove(instance);
        }
      }
    }

    private void remove(GraphInstance<S, K> instance) {
      List<GraphInstance<S, K>> left = new ArrayList<>(instances);
      left.remove(instance);
      instances = List.copyOf(left);
      pauseTrying();
    }

    /** An instance could not be made or kept, so the next one is made later, and later each time. */
    private void pauseTrying() {
      nextTry = submissions + pause;
      pause = Math.min(2 * pause, 1 << 20);
    }

    private @Nullable GraphFallback launch(GraphInstance<S, K> instance, Submission submission) {
      if (!instance.claim()) {
        return GraphFallback.GIVEN_UP; // evicted since dropGone()
      }
      boolean isWhole = true; // no node was set without all others
      try {
        long changed = instance.changedSlots(submission);
        if (changed != 0) {
          if (instance.isOtherMemory(changed, submission)) {
            return GraphFallback.OTHER_MEMORY;
          }
          if (!cache.graphs().mayBeSetInFlight() && !instance.isIdle()) {
            return GraphFallback.IN_FLIGHT;
          }
          isWhole = false;
          try {
            cache.countSet(instance.set(changed, submission));
          } catch (HalException e) {
            if (e.status() == Status.UNAVAILABLE) {
              throw e;
            }
            return cache.refused(e);
          }
          isWhole = true;
        }
        instance.launch();
        return null;
      } finally {
        if (isWhole) {
          instance.unclaim();
        } else {
          remove(instance);
          // Earlier launches may still be in the stream. Once this submission is over they are, too.
          submission.whenFired(() -> cache.retire(instance));
        }
      }
    }

    /** Makes an instance now, and launches it, or later, in the background. */
    private @Nullable GraphFallback make(GpuStream<S, ?, K> stream, Submission submission) {
      if (submissions < nextTry) {
        return GraphFallback.GIVEN_UP;
      }
      GraphInstance<S, K> planned = cache.plan(plan, stream);
      planned.capture(submission);
      List<GraphInstance<S, K>> more = new ArrayList<>(instances);
      more.add(planned);
      instances = List.copyOf(more);
      if (!cache.makesAtOnce() || more.size() > 1) { // only for the first one the thread may block
        submission.inBackground(() -> cache.build(planned));
        return GraphFallback.BEING_MADE;
      }
      GraphFallback reason = cache.build(planned);
      return reason != null ? reason : launch(planned, submission);
    }
  }
}
