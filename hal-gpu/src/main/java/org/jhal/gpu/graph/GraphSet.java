// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.graph;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.PreparedCommands;
import org.jhal.driver.Submission;
import org.jhal.gpu.graph.GraphCache.Fallback;
import org.jspecify.annotations.Nullable;

/**
 * The graphs of one recording: for each stream its own instances, since launches of one instance on
 * several streams run one after the other.
 */
public final class GraphSet implements PreparedCommands {
  private final GraphCache cache;
  private final @Nullable GraphPlan plan; // null if the commands cannot be a graph
  private final Fallback obstacle; // the reason then

  /** By the stream's index. Replaced, never changed, as other threads read it; see add(). */
  private volatile @Nullable OnStream[] streams = {};

  GraphSet(GraphCache cache, @Nullable GraphPlan plan, Fallback obstacle) {
    this.cache = cache;
    this.plan = plan;
    this.obstacle = obstacle;
  }

  private @Nullable OnStream on(int stream) {
    @Nullable OnStream[] now = streams;
    return stream < now.length ? now[stream] : null;
  }

  private synchronized OnStream add(int stream, OnStream made) { // several may be added at once
    @Nullable OnStream[] more = Arrays.copyOf(streams, Math.max(streams.length, stream + 1));
    more[stream] = made;
    streams = more;
    return made;
  }

  /** Whether a submission to a stream would be launched now, as a forecast. */
  public boolean isReady(int stream) {
    OnStream graphs = on(stream);
    return graphs != null && graphs.isReady();
  }

  /** Whether the next submission to a stream makes an instance on the issuing thread. */
  public boolean makesNext(int stream) {
    return plan != null && cache.makesAtOnce() && !isReady(stream);
  }

  /** Counts a submission whose commands are issued one by one because their times are recorded. */
  public void leaveOut() {
    cache.count(Fallback.TIMED);
  }

  /**
   * Launches a submission as a graph, or puts it back until there is room for its commands one by
   * one. Returns false if these must be issued so now. For the issuing thread.
   *
   * @throws HalException if the launch failed, or the device is lost
   */
  public boolean issue(GraphStream stream, Submission submission) {
    GraphPlan nodes = plan;
    if (nodes == null) {
      cache.count(obstacle);
      return false;
    }
    OnStream graphs = on(stream.index());
    if (graphs == null) {
      graphs = add(stream.index(), new OnStream(nodes));
    }
    return graphs.issue(stream, submission);
  }

  @Override
  public void close() {
    for (OnStream graphs : streams) {
      if (graphs != null) {
        graphs.close();
      }
    }
  }

  /** The instances for one stream. Changed by its issuing thread. */
  private final class OnStream {
    /**
     * How many submissions pass before the next try, after an instance could not be made or kept.
     */
    private static final int FIRST_PAUSE = 4;

    private static final int LONGEST_PAUSE = 1 << 20;

    /** Uses in a row whose table was set a moment ago, before an instance is made for it. */
    private static final int ENOUGH_TURNS = 8;

    /**
     * Replaced, never changed, as other threads read it. Has a second instance if the runtime
     * cannot change one in flight, and further ones for tables that take turns.
     */
    volatile List<GraphInstance<GraphNodes>> instances = List.of();

    /** Out of use; earlier launches may still be in the stream. */
    private final List<GraphInstance<GraphNodes>> dying = new ArrayList<>();

    // The tables for which nodes were set last (see GraphNodes.table), and how many uses in a row
    // found theirs among them.
    private final long[] tables = new long[GraphCache.MOST_PER_STREAM];
    private int latest;
    private int turns;

    private final GraphPlan plan;
    private long submissions;
    private long nextTry; // makes no instance before this many submissions
    private long pause = FIRST_PAUSE; // doubles with each failure
    private volatile Fallback lastRefusal = Fallback.GIVEN_UP; // written by any thread

    OnStream(GraphPlan plan) {
      this.plan = plan;
    }

    boolean isReady() {
      List<GraphInstance<GraphNodes>> now = instances;
      for (int i = 0; i < now.size(); i++) {
        if (now.get(i).isUsable()) {
          return true;
        }
      }
      return false;
    }

    /** Called when the recording has ended and none of its launches is in the stream. */
    void close() {
      instances.forEach(cache::retire);
      instances = List.of();
      dying.forEach(cache::retire);
      dying.clear();
    }

    boolean issue(GraphStream stream, Submission submission) {
      if (submission.wasPutBack()) {
        return false; // there is room now
      }
      // Enqueued before a second submission was foreseeable, so no graph was wanted.
      boolean isFirst = submissions == 0 && cache.makesAtOnce() && !submission.mayBlock();
      Fallback reason = launch(stream, submission);
      if (reason == null) {
        cache.countLaunch();
        return true;
      }
      if (!isFirst) {
        cache.count(reason);
      }
      if (submission.hasRoomForEach()) {
        return false;
      }
      submission.putBack();
      return true;
    }

    /** Launches a submission; returns null, or the reason why not. */
    private @Nullable Fallback launch(GraphStream stream, Submission submission) {
      submissions++;
      dropGone();
      if (!stream.keepsGraphs()) {
        return Fallback.SHARE;
      }
      boolean takesTurns = turns >= ENOUGH_TURNS;
      if ((takesTurns || instances.size() > 1) && launchUnchanged(submission)) {
        return null;
      }
      if (takesTurns) {
        turns = 0;
        makeAnother(stream, submission); // until it is made, nodes are set
      }
      Fallback reason = null;
      List<GraphInstance<GraphNodes>> now = instances;
      for (int i = 0; i < now.size(); i++) { // an iterator would be garbage (K3)
        GraphInstance<GraphNodes> instance = now.get(i);
        reason = instance.isPlanned() ? Fallback.BEING_MADE : launch(instance, submission);
        if (reason == null) {
          pause = FIRST_PAUSE;
          return null;
        }
      }
      if (reason == null) {
        return make(stream, submission, Fallback.GIVEN_UP);
      }
      boolean isRoom = instances.size() < GraphCache.MOST_IN_FLIGHT;
      return reason == Fallback.IN_FLIGHT && isRoom ? make(stream, submission, reason) : reason;
    }

    private void dropGone() {
      List<GraphInstance<GraphNodes>> now = instances;
      for (int i = 0; i < now.size(); i++) {
        GraphInstance<GraphNodes> instance = now.get(i);
        if (instance.isDestroyed()) {
          remove(instance);
        } else if (instance.isElsewhere() && instance.isReady()) {
          remove(instance);
          dying.add(instance);
          pause = FIRST_PAUSE;
          nextTry = submissions;
        }
      }
      for (int i = dying.size() - 1; i >= 0; i--) {
        if (dying.get(i).isIdle()) {
          cache.retire(dying.remove(i));
        }
      }
    }

    private boolean isMaking() {
      List<GraphInstance<GraphNodes>> now = instances;
      for (int i = 0; i < now.size(); i++) {
        if (now.get(i).isPlanned()) {
          return true;
        }
      }
      return false;
    }

    /** Removes an instance; the pause before the next one grows each time. */
    private void remove(GraphInstance<GraphNodes> instance) {
      List<GraphInstance<GraphNodes>> left = new ArrayList<>(instances);
      left.remove(instance);
      instances = List.copyOf(left);
      pauseTrying();
    }

    private void pauseTrying() {
      nextTry = submissions + pause;
      pause = Math.min(2 * pause, LONGEST_PAUSE);
    }

    /** Launches the instance whose nodes have the submission's table, if there is one. */
    private boolean launchUnchanged(Submission submission) {
      List<GraphInstance<GraphNodes>> now = instances;
      for (int i = 0; i < now.size(); i++) {
        if (!now.get(i).isElsewhere() && launch(now.get(i), submission, false) == null) {
          pause = FIRST_PAUSE;
          return true;
        }
      }
      return false;
    }

    private @Nullable Fallback launch(GraphInstance<GraphNodes> instance, Submission submission) {
      return instance.isElsewhere()
          ? Fallback.BEING_MADE // for another place
          : launch(instance, submission, true);
    }

    /**
     * Launches an instance; returns null, or the reason why not.
     *
     * @param maySet whether nodes may be set for the submission's table
     */
    private @Nullable Fallback launch(
        GraphInstance<GraphNodes> instance, Submission submission, boolean maySet) {
      if (!instance.claim()) {
        return Fallback.GIVEN_UP; // evicted
      }
      boolean isWhole = false; // its nodes are consistent
      try {
        long changed = instance.content().changedSlots(submission);
        if (changed != 0) {
          Fallback obstacle = maySet ? obstacle(instance, changed, submission) : Fallback.GIVEN_UP;
          if (obstacle != null) {
            isWhole = true;
            return obstacle;
          }
          try {
            cache.countSet(instance.content().set(instance.handle(), changed, submission));
            noteTable(instance.content().table());
          } catch (HalException e) {
            if (e.status() == Status.UNAVAILABLE) {
              throw e;
            }
            lastRefusal = cache.refused(e);
            return lastRefusal;
          }
        }
        instance.launch();
        isWhole = true;
        return null;
      } finally {
        if (isWhole) {
          instance.unclaim();
        } else {
          remove(instance);
          dying.add(instance);
        }
      }
    }

    private void noteTable(long table) {
      boolean isKnown = false;
      for (long known : tables) {
        isKnown |= known == table;
      }
      // While one is being made, the others may get its table, and it may be enough.
      turns = isKnown && !isMaking() ? turns + 1 : 0;
      if (!isKnown) {
        tables[latest++ % tables.length] = table;
      }
    }

    private @Nullable Fallback obstacle(
        GraphInstance<GraphNodes> instance, long changed, Submission submission) {
      if (instance.content().isOtherMemory(changed, submission)) {
        return Fallback.OTHER_MEMORY;
      }
      return cache.graphs().mayBeSetInFlight() || instance.isIdle() ? null : Fallback.IN_FLIGHT;
    }

    /**
     * Makes and launches an instance now, or makes it in the background.
     *
     * @param otherwise the reason to return if a later submission launches it
     */
    private @Nullable Fallback make(GraphStream stream, Submission submission, Fallback otherwise) {
      if (submissions < nextTry) {
        return lastRefusal;
      }
      if (cache.makesAtOnce() && !submission.mayBlock()) {
        return otherwise;
      }
      GraphInstance<GraphNodes> planned = plan(stream, submission);
      if (planned == null) {
        return Fallback.OUT_OF_MEMORY;
      }
      if (!cache.makesAtOnce()) {
        return makeLater(planned, submission);
      }
      Fallback reason = cache.build(planned);
      if (reason != null) {
        lastRefusal = reason;
        return reason;
      }
      return launch(planned, submission);
    }

    /** Makes an instance for one of several tables that take turns, in the background. */
    private void makeAnother(GraphStream stream, Submission submission) {
      if (instances.size() < GraphCache.MOST_PER_STREAM && submissions >= nextTry) {
        GraphInstance<GraphNodes> planned = plan(stream, submission);
        if (planned != null) {
          makeLater(planned, submission);
        }
      }
    }

    /** Plans an instance with the submission's table; null without memory for it. */
    private @Nullable GraphInstance<GraphNodes> plan(GraphStream stream, Submission submission) {
      GraphInstance<GraphNodes> planned;
      try {
        planned = cache.plan(plan, stream, submission);
      } catch (OutOfMemoryError | ArithmeticException e) { // of direct memory
        pauseTrying();
        return null;
      }
      List<GraphInstance<GraphNodes>> more = new ArrayList<>(instances);
      more.add(planned);
      instances = List.copyOf(more);
      return planned;
    }

    private Fallback makeLater(GraphInstance<GraphNodes> planned, Submission submission) {
      try {
        submission.inBackground(() -> buildLater(planned));
      } catch (OutOfMemoryError e) { // no thread can be started
        remove(planned);
        return Fallback.OUT_OF_MEMORY;
      }
      return Fallback.BEING_MADE;
    }

    private void buildLater(GraphInstance<GraphNodes> planned) {
      Fallback reason = cache.build(planned);
      if (reason != null) {
        lastRefusal = reason;
      }
    }
  }
}
