// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.collective;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.List;
import org.jhal.CollectiveGroup;
import org.jhal.ElementType;
import org.jhal.HalException;
import org.jhal.Reduction;
import org.jhal.Status;
import org.jhal.driver.CollectiveCall;
import org.jhal.driver.NativeGroup;
import org.jhal.driver.NativeStream;
import org.jhal.driver.support.Attempt;
import org.jhal.driver.support.BoundCalls;
import org.jhal.gpu.natives.LaunchGate;
import org.jhal.gpu.natives.WantedCollectives;
import org.jhal.gpu.runtime.GpuEvent;
import org.jhal.gpu.runtime.GpuRuntime;
import org.jhal.gpu.stream.GpuStream;
import org.jspecify.annotations.Nullable;

/**
 * A group of devices whose collectives NCCL or RCCL carries out. On each device they run on one
 * stream that all groups share, so that no two of a device's collectives wait for each other.
 *
 * <p>Its communicators keep the native devices in use. When a sound group closes, they are kept for
 * the next group of the same devices.
 */
public final class GpuGroup implements NativeGroup<GpuEvent> {
  /** A collective's own weight in a stream: the library's calls; each rank adds two. */
  private static final int OWN_WEIGHT = 8;

  private static final Runnable NOTHING = () -> {};

  /** What is being launched. */
  private enum Launch {
    NONE,
    BY_LIBRARY,
    GRAPHS
  }

  private final CollectiveLibrary library;
  private final Clique clique;
  private final Communicators communicators;
  private final List<GroupMember> members;
  private final long[] streams;
  private final GroupEvent start; // of rank 0, behind what all ranks wait for

  // By rank: whether its abort has returned.
  @GuardedBy("this")
  private final boolean[] isOver;

  // Communicators are not polled during a launch, which polls as well. They are not aborted during
  // a poll or a launch by the library, since an abort frees them. A launch of graphs may hang until
  // an abort ends the kernels of other ranks.
  @GuardedBy("this")
  private Launch launch = Launch.NONE;

  @GuardedBy("this")
  private int asking; // threads in failure()

  @GuardedBy("this")
  private boolean isAborting;

  @GuardedBy("this")
  private boolean isAborted; // the communicators are freed, or unusable if the abort failed

  @GuardedBy("this")
  private boolean isClosed;

  // Written with the monitor held; read by a launch that continues behind its calls.
  private volatile boolean isEnded;

  private GpuGroup(
      CollectiveLibrary library, Clique clique, List<GroupMember> members, GroupEvent start) {
    this.library = library;
    this.clique = clique;
    this.communicators = clique.communicators();
    this.members = members;
    this.start = start;
    this.isOver = new boolean[members.size()];
    this.streams = members.stream().mapToLong(GroupMember::stream).toArray();
  }

  /**
   * Loads the library, unless it is loaded, and makes a group. Blocks.
   *
   * @param devices by rank, on different GPUs
   * @param patience how long it may take, in nanoseconds
   * @throws HalException if there is no library, it refuses, or there is not enough memory;
   *     DEADLINE_EXCEEDED if it takes longer
   */
  public static GpuGroup create(
      WantedCollectives wanted, LaunchGate gate, List<GroupDevice> devices, long patience) {
    CollectiveLibrary library = CollectiveLibrary.load(wanted);
    devices.forEach(device -> device.join(library.cache()));
    Clique kept = library.cache().take(devices);
    Clique clique =
        kept != null ? kept : Clique.create(library, gate, List.copyOf(devices), patience);
    List<GroupMember> members = new ArrayList<>();
    boolean isMade = false;
    try {
      for (int rank = 0; rank < devices.size(); rank++) {
        GroupDevice device = devices.get(rank);
        members.add(Clique.ofRank(rank, () -> GroupMember.of(device)));
      }
      GroupEvent start = GroupEvent.create(members.get(0).runtime());
      GpuGroup made = new GpuGroup(library, clique, List.copyOf(members), start);
      isMade = true;
      return made;
    } finally {
      if (!isMade) {
        members.forEach(GroupMember::freeEvent);
        library.cache().giveBack(clique);
      }
    }
  }

  private void freeEvents() {
    start.free();
    members.forEach(GroupMember::freeEvent);
  }

  @Override
  public String description() {
    return library.toString();
  }

  @Override
  public @Nullable String obstacle(
      CollectiveGroup.Kind kind, @Nullable Reduction reduction, @Nullable ElementType type) {
    return CollectiveLibrary.obstacle(type);
  }

  @Override
  public int weight() {
    return OWN_WEIGHT + 2 * members.size();
  }

  @Override
  public @Nullable HalException issue(
      CollectiveCall call,
      NativeStream<GpuEvent> stream,
      boolean isBehind,
      long patience,
      Runnable begins) {
    return clique.gate().launch(patience, () -> launch(call, stream, isBehind, patience, begins));
  }

  private @Nullable HalException launch(
      CollectiveCall call,
      NativeStream<GpuEvent> stream,
      boolean isBehind,
      long patience,
      Runnable begins) {
    begins.run();
    long own = ((GpuStream) stream).lend();
    CollectiveGraphs.Repeated graphs;
    synchronized (this) {
      awaitUnused(true);
      if (isEnded) {
        throw new HalException(Status.CANCELLED, "the group has ended");
      }
      graphs = communicators.graphs(call);
      launch = graphs == null ? Launch.BY_LIBRARY : Launch.GRAPHS;
    }
    try {
      HalException failure = isBehind ? start(own) : null;
      return failure != null ? failure : put(call, graphs, own, patience);
    } finally {
      synchronized (this) {
        launch = Launch.NONE;
        notifyAll();
      }
    }
  }

  /**
   * Makes all ranks' streams wait for the present work in {@code stream}. Returns a failure or
   * null.
   *
   * @throws HalException UNAVAILABLE if the first device cannot
   */
  private @Nullable HalException start(long stream) {
    GpuRuntime first = members.get(0).runtime();
    try {
      first.recordEvent(start.handle(), stream);
      first.waitEvent(members.get(0).stream(), start.handle());
    } catch (HalException e) {
      throw BoundCalls.asLoss(e);
    }
    for (GroupMember member : members.subList(1, members.size())) {
      HalException failure = member.await(start);
      if (failure != null) {
        return failure;
      }
    }
    return null;
  }

  /**
   * Puts the parts into the streams of all ranks, with an event behind each even if others fail,
   * and makes {@code stream} wait for these. Returns a failure or null; the library does not
   * identify a loss.
   *
   * @throws HalException UNAVAILABLE if the first device is lost
   */
  private @Nullable HalException put(
      CollectiveCall call, CollectiveGraphs.@Nullable Repeated graphs, long stream, long patience) {
    members.forEach(GroupMember::beginPart);
    HalException failure = graphs == null ? launch(call, patience) : null;
    if (failure != null && failure.status() == Status.DEADLINE_EXCEEDED) {
      return failure; // it may still put parts behind the events
    }
    for (int rank = 0; rank < members.size(); rank++) {
      boolean isBound = rank == 0 && graphs != null; // the library may have changed that
      Runnable part = graphs == null || failure != null ? NOTHING : launch(graphs, rank);
      failure = GroupMember.graver(failure, members.get(rank).put(isBound, part));
    }
    GpuRuntime first = members.get(0).runtime();
    for (GroupMember member : members) {
      failure = GroupMember.graver(failure, member.join(first, stream));
    }
    if (failure != null && first.isLost()) {
      throw BoundCalls.asLoss(failure);
    }
    return failure;
  }

  private Runnable launch(CollectiveGraphs.Repeated graphs, int rank) {
    return () -> graphs.launch(rank, streams[rank]);
  }

  /** Lets the library launch a call. Returns a failure or null. */
  private @Nullable HalException launch(CollectiveCall call, long patience) {
    HalException[] failure = new HalException[1];
    Throwable thrown =
        Attempt.of(() -> failure[0] = communicators.launch(call, streams, patience, () -> isEnded));
    return thrown != null ? GroupMember.halfWay(thrown) : failure[0];
  }

  @Override
  public boolean isPast(int rank) {
    GroupMember member = members.get(rank);
    synchronized (this) {
      isEnded = true; // otherwise a running launch could add a part behind this check
      if (isOver[rank] || !member.hasParts()) {
        return launch == Launch.NONE;
      }
      if (launch != Launch.NONE) { // which may put something behind the event
        return false;
      }
    }
    return member.isPast();
  }

  @Override
  public @Nullable HalException failure() {
    synchronized (this) {
      if (isEnded || launch != Launch.NONE) { // the launch reports by itself
        return null;
      }
      asking++;
    }
    try {
      return communicators.failure();
    } finally {
      synchronized (this) {
        asking--;
        notifyAll();
      }
    }
  }

  @Override
  public void abort(long patience) {
    synchronized (this) {
      isEnded = true;
      if (isAborting || isAborted || isClosed) {
        return;
      }
      isAborting = true;
      awaitUnused(false);
    }
    try {
      clique.gate().runAhead(patience, () -> communicators.abort(this::setPast, this::awaitLaunch));
    } finally {
      endAbort();
    }
  }

  private synchronized void setPast(int rank) {
    isOver[rank] = true;
  }

  private void endAbort() {
    synchronized (this) {
      awaitUnused(true); // if the abort has failed before it waited
      isAborted = true;
      isAborting = false;
      notifyAll();
      if (!isClosed) {
        return;
      }
    }
    freeEvents(); // which close() has left to this
    clique.release();
  }

  private synchronized void awaitLaunch() {
    awaitUnused(true);
  }

  /**
   * Waits until the communicators are unused.
   *
   * @param alsoGraphs whether to wait for a launch of graphs, too
   */
  @GuardedBy("this")
  private void awaitUnused(boolean alsoGraphs) {
    boolean wasInterrupted = false;
    while (asking > 0 || launch == Launch.BY_LIBRARY || alsoGraphs && launch == Launch.GRAPHS) {
      try {
        wait();
      } catch (InterruptedException e) {
        wasInterrupted = true;
      }
    }
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    boolean wasEnded;
    boolean wasAborted;
    synchronized (this) {
      wasEnded = isEnded;
      wasAborted = isAborted;
      isEnded = true;
      isClosed = true;
      if (isAborting) {
        return; // the abort frees them when it returns
      }
    }
    freeEvents();
    if (wasAborted) {
      clique.release();
    } else if (wasEnded) { // something has failed
      clique.end();
    } else {
      library.cache().giveBack(clique);
    }
  }
}
