// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.collective;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
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
import org.jhal.driver.support.EarlyClasses;
import org.jhal.gpu.natives.LaunchGate;
import org.jhal.gpu.natives.Undo;
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
  static {
    EarlyClasses.initialize(Clique.class, CollectiveLibrary.class);
  }

  /** A collective's own weight in a stream: the library's calls; each rank adds two. */
  private static final int OWN_WEIGHT = 8;

  private static final class Member {
    final GroupDevice device;
    final long stream;
    long event; // behind its part of the latest collective, if isRecorded; 0 when it is freed

    // Whether the stream may have parts, and whether the event is recorded behind all of them.
    // Written by the launching thread.
    volatile boolean hasParts;
    volatile boolean isRecorded;

    // Guarded by the group, which the annotation cannot name here.
    boolean isPast; // its abort has returned

    Member(GroupDevice device, long stream, long event) {
      this.device = device;
      this.stream = stream;
      this.event = event;
    }

    GpuRuntime runtime() {
      return device.runtime();
    }
  }

  private final CollectiveLibrary library;
  private final Clique clique;
  private final Communicators communicators;
  private final List<Member> members;
  private final long[] streams;
  private long start; // an event of rank 0, behind what all ranks wait for; 0 when it is freed

  // Communicators are not polled during a launch, which polls as well. They are not aborted during
  // a launch or a poll, since an abort frees them.
  @GuardedBy("this")
  private boolean isLaunching;

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

  private GpuGroup(CollectiveLibrary library, Clique clique, List<Member> members, long start) {
    this.library = library;
    this.clique = clique;
    this.communicators = clique.communicators();
    this.members = members;
    this.start = start;
    this.streams = members.stream().mapToLong(member -> member.stream).toArray();
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
    List<Member> members = new ArrayList<>();
    boolean isMade = false;
    try {
      for (int rank = 0; rank < devices.size(); rank++) {
        GroupDevice device = devices.get(rank);
        members.add(Clique.ofRank(rank, () -> member(device)));
      }
      long start = startEvent(members.get(0).runtime());
      GpuGroup made = new GpuGroup(library, clique, List.copyOf(members), start);
      isMade = true;
      return made;
    } finally {
      if (!isMade) {
        members.forEach(GpuGroup::freeEvent);
        library.cache().giveBack(clique);
      }
    }
  }

  private static Member member(GroupDevice device) {
    GpuRuntime runtime = device.runtime();
    return makeBound(
        runtime,
        () -> new Member(device, device.stream(), runtime.createEvent(false)),
        GpuGroup::freeEvent);
  }

  private static long startEvent(GpuRuntime first) {
    return makeBound(first, () -> first.createEvent(false), event -> freeEvent(first, event));
  }

  /**
   * Calls {@code make} with the device bound, and frees the result if the device cannot be unbound.
   */
  private static <T> T makeBound(GpuRuntime runtime, Supplier<T> make, Consumer<T> free) {
    List<T> made = new ArrayList<>(1);
    return Undo.onFailure(
        () -> {
          BoundCalls.run(runtime, () -> made.add(make.get()));
          return made.get(0);
        },
        () -> made.forEach(free));
  }

  private static void freeEvent(Member member) {
    long ended = member.event;
    member.event = 0;
    freeEvent(member.runtime(), ended);
  }

  private static void freeEvent(GpuRuntime runtime, long event) {
    runtime.giveBack(() -> runtime.destroyEvent(event));
  }

  private void freeEvents() {
    long ended = start;
    start = 0;
    freeEvent(members.get(0).runtime(), ended);
    members.forEach(GpuGroup::freeEvent);
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
    synchronized (this) {
      awaitUnused();
      if (isEnded) {
        throw new HalException(Status.CANCELLED, "the group has ended");
      }
      isLaunching = true;
    }
    try {
      HalException failure = isBehind ? start(own) : null;
      return failure != null ? failure : put(call, own, patience);
    } finally {
      synchronized (this) {
        isLaunching = false;
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
    Member first = members.get(0);
    try {
      first.runtime().recordEvent(start, stream);
      first.runtime().waitEvent(first.stream, start);
    } catch (HalException e) {
      throw BoundCalls.asLoss(e);
    }
    for (Member member : members.subList(1, members.size())) {
      try {
        BoundCalls.run(member.runtime(), () -> member.runtime().waitEvent(member.stream, start));
      } catch (HalException e) {
        return e;
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
  private @Nullable HalException put(CollectiveCall call, long stream, long patience) {
    members.forEach(
        member -> {
          member.isRecorded = false;
          member.hasParts = true;
        });
    HalException[] known = new HalException[1];
    Throwable thrown =
        Attempt.of(() -> known[0] = communicators.launch(call, streams, patience, () -> isEnded));
    HalException failure = known[0];
    if (thrown != null) { // such as out of memory
      failure = new HalException(Status.ABORTED, "a launch ended half-way: " + thrown, thrown);
    }
    if (failure != null && failure.status() == Status.DEADLINE_EXCEEDED) {
      return failure; // it may still put parts behind the events
    }
    for (Member member : members) {
      failure = graver(failure, record(member));
    }
    for (Member member : members) {
      if (member.isRecorded) {
        failure = graver(failure, join(stream, member));
      }
    }
    if (failure != null && members.get(0).runtime().isLost()) {
      throw BoundCalls.asLoss(failure);
    }
    return failure;
  }

  /** The one that is a loss, or else the first. */
  private static @Nullable HalException graver(
      @Nullable HalException first, @Nullable HalException second) {
    boolean isSecond =
        second != null
            && (first == null
                || second.status() == Status.UNAVAILABLE && first.status() != Status.UNAVAILABLE);
    return isSecond ? second : first;
  }

  private @Nullable HalException record(Member member) {
    try {
      BoundCalls.run(
          member.runtime(), () -> member.runtime().recordEvent(member.event, member.stream));
      member.isRecorded = true;
      return null;
    } catch (HalException e) {
      return e;
    }
  }

  /** Makes {@code stream}, of the first device, wait for a rank's part. */
  private @Nullable HalException join(long stream, Member member) {
    try {
      members.get(0).runtime().waitEvent(stream, member.event);
      return null;
    } catch (HalException e) {
      return e;
    }
  }

  @Override
  public boolean isPast(int rank) {
    Member member = members.get(rank);
    synchronized (this) {
      isEnded = true; // otherwise a running launch could add a part behind this check
      if (member.isPast || !member.hasParts) {
        return !isLaunching;
      }
      if (isLaunching) { // which may put something behind the event
        return false;
      }
    }
    GpuRuntime runtime = member.runtime();
    boolean[] hasFired = new boolean[1];
    if (member.isRecorded && !runtime.isLost()) {
      Runnable query = () -> hasFired[0] = runtime.queryEvent(member.event);
      var ignored = Attempt.of(() -> BoundCalls.run(runtime, query)); // the abort reports failures
    }
    return hasFired[0] || runtime.isLost();
  }

  @Override
  public @Nullable HalException failure() {
    synchronized (this) {
      if (isEnded || isLaunching) { // the launch reports by itself
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
      awaitUnused();
    }
    try {
      clique.gate().runAhead(patience, () -> communicators.abort(this::setPast));
    } finally {
      endAbort();
    }
  }

  private synchronized void setPast(int rank) {
    members.get(rank).isPast = true;
  }

  private void endAbort() {
    synchronized (this) {
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

  /** Waits until the communicators are unused: never with a hanging launch. */
  @GuardedBy("this")
  private void awaitUnused() {
    boolean wasInterrupted = false;
    while (isLaunching || asking > 0) {
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
