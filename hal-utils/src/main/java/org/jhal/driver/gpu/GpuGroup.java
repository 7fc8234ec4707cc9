package org.jhal.driver.gpu;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jhal.CollectiveGroup;
import org.jhal.ElementType;
import org.jhal.HalException;
import org.jhal.Reduction;
import org.jhal.Status;
import org.jhal.driver.CollectiveCall;
import org.jhal.driver.NativeGroup;
import org.jhal.driver.NativeStream;
import org.jspecify.annotations.Nullable;

/**
 * A group of devices whose collectives NCCL or RCCL carries out. On each device they run on one
 * stream that all groups share, so that no two collectives of a device wait for each other.
 *
 * <p>Keeps the native devices in use until it is closed, since communicators have memory there.
 *
 * @param <S> the native stream
 * @param <E> the native event
 */
final class GpuGroup<S, E> implements NativeGroup<GpuEvent<E>> {
  private static final System.Logger LOG = System.getLogger(GpuGroup.class.getName());

  /** What a stream has to hold of a collective: the library's own calls, and two for each rank. */
  private static final int OWN_WEIGHT = 8;

  /** How long the end of a communicator may hold up other groups. */
  private static final long FREE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** A rank: its device, the communicator, and its event. */
  private static final class Member<S, E> {
    final GpuDevice<S, E, ?> device;
    final long communicator;
    final S stream;
    final E event; // behind its part of the latest collective, if isRecorded

    // Whether the stream may have parts, and whether the event is recorded behind all of them.
    // Written by the thread that launches.
    volatile boolean hasParts;
    volatile boolean isRecorded;

    // Guarded by the group's monitor.
    boolean isAborting;
    boolean isAborted; // the communicator is gone, or, if the abort failed, not to be used
    boolean isPast; // the abort has returned
    boolean isLeft; // close() has left it to the abort

    Member(GpuDevice<S, E, ?> device, long communicator, S stream, E event) {
      this.device = device;
      this.communicator = communicator;
      this.stream = stream;
      this.event = event;
    }

    GpuRuntime<S, E, ?> runtime() {
      return device.runtime();
    }

    /**
     * With the device bound, or else the library would make the first GPU of the machine current;
     * without it if it cannot be bound.
     */
    void bound(Runnable body) {
      long token;
      try {
        token = runtime().bindToThread();
      } catch (HalException e) {
        body.run();
        return;
      }
      try {
        body.run();
      } finally {
        runtime().unbindFromThread(token);
      }
    }
  }

  private final CollectiveLibrary library;
  private final LaunchGate gate;
  private final List<Member<S, E>> members;
  private final long[] communicators;
  private final long[] streams;
  private final E start; // of rank 0, behind what all ranks wait for

  // Guarded by this. A communicator is never aborted while it launches, since that frees it.
  private boolean isLaunching;
  private boolean isEnded;
  private boolean isClosed;

  private GpuGroup(
      CollectiveLibrary library, LaunchGate gate, List<Member<S, E>> members, E start) {
    this.library = library;
    this.gate = gate;
    this.members = members;
    this.start = start;
    this.communicators = members.stream().mapToLong(member -> member.communicator).toArray();
    this.streams =
        members.stream()
            .mapToLong(member -> member.runtime().streamHandle(member.stream))
            .toArray();
  }

  /**
   * Makes a group. Blocks.
   *
   * @param devices by rank, on different GPUs
   * @throws HalException if the library refuses, or there is not enough memory
   */
  static <S, E> GpuGroup<S, E> create(
      CollectiveLibrary library, LaunchGate gate, List<GpuDevice<S, E, ?>> devices) {
    int[] ordinals = devices.stream().mapToInt(GpuDevice::place).toArray();
    return gate.call(
        () -> {
          List<Member<S, E>> members = new ArrayList<>();
          long[] communicators = communicators(library, devices, ordinals);
          try {
            for (int rank = 0; rank < communicators.length; rank++) {
              members.add(member(rank, devices.get(rank), communicators[rank]));
            }
            return new GpuGroup<>(library, gate, List.copyOf(members), startEvent(members.get(0)));
          } catch (Throwable t) {
            members.forEach(GpuGroup::free);
            for (long communicator : communicators) {
              quietly(() -> library.destroy(communicator));
            }
            throw t;
          }
        });
  }

  /** Memory that pools keep is not theirs to use, so it is given back if there is too little. */
  private static <S, E> long[] communicators(
      CollectiveLibrary library, List<GpuDevice<S, E, ?>> devices, int[] ordinals) {
    try {
      return library.create(ordinals);
    } catch (HalException e) {
      devices.forEach(device -> device.runtime().giveBack(device.runtime()::trimPool));
      try {
        return library.create(ordinals);
      } catch (HalException again) {
        again.addSuppressed(e);
        throw again;
      }
    }
  }

  private static <S, E> Member<S, E> member(
      int rank, GpuDevice<S, E, ?> device, long communicator) {
    try {
      return member(device, communicator);
    } catch (HalException e) {
      if (rank == 0 || e.status() != Status.UNAVAILABLE) {
        throw e;
      }
      throw new HalException( // the caller would take it for the loss of the first one
          Status.FAILED_PRECONDITION,
          "the device of rank " + rank + " is lost: " + e.getMessage(),
          e);
    }
  }

  private static <S, E> Member<S, E> member(GpuDevice<S, E, ?> device, long communicator) {
    GpuRuntime<S, E, ?> runtime = device.runtime();
    Member<S, E> made = null;
    try {
      long token = runtime.bindToThread();
      try {
        S stream = device.groupStream();
        E event = runtime.createEvent(false);
        try {
          runtime.retain();
        } catch (Throwable t) {
          runtime.destroyEvent(event);
          throw t;
        }
        made = new Member<>(device, communicator, stream, event);
      } finally {
        runtime.unbindFromThread(token);
      }
      return made;
    } catch (Throwable t) {
      if (made != null) {
        free(made);
      }
      throw t;
    }
  }

  private static <S, E> E startEvent(Member<S, E> first) {
    GpuRuntime<S, E, ?> runtime = first.runtime();
    long token = runtime.bindToThread();
    E event;
    try {
      event = runtime.createEvent(false);
    } catch (Throwable t) {
      runtime.unbindFromThread(token);
      throw t;
    }
    try {
      runtime.unbindFromThread(token);
    } catch (Throwable t) {
      runtime.giveBack(() -> runtime.destroyEvent(event));
      throw t;
    }
    return event;
  }

  private static void free(Member<?, ?> member) {
    freeEvent(member);
    member.runtime().release();
  }

  private static <S, E> void freeEvent(Member<S, E> member) {
    member.runtime().giveBack(() -> member.runtime().destroyEvent(member.event));
  }

  private void freeAll(Member<S, E> member) {
    if (member == members.get(0)) {
      member.runtime().giveBack(() -> member.runtime().destroyEvent(start));
    }
    free(member);
  }

  private static void quietly(Runnable free) {
    try {
      free.run();
    } catch (Throwable t) { // no caller could handle it
      LOG.log(Level.WARNING, "a communicator is not freed before the process ends", t);
    }
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
      NativeStream<GpuEvent<E>> stream,
      boolean isBehind,
      long patience,
      Runnable begins) {
    return gate.launch(patience, () -> launch(call, stream, isBehind, begins));
  }

  private @Nullable HalException launch(
      CollectiveCall call, NativeStream<GpuEvent<E>> stream, boolean isBehind, Runnable begins) {
    begins.run();
    @SuppressWarnings("unchecked") // of the first device
    S own = ((GpuStream<S, E, ?>) stream).handle();
    synchronized (this) {
      if (isEnded) {
        throw new HalException(Status.CANCELLED, "the group has ended");
      }
      isLaunching = true;
    }
    try {
      HalException failure = isBehind ? start(own) : null;
      return failure != null ? failure : put(call, own);
    } finally {
      synchronized (this) {
        isLaunching = false;
        notifyAll();
      }
    }
  }

  /**
   * Has the streams of all ranks wait for what is now in {@code stream}. Returns why one of them
   * cannot, or null.
   *
   * @throws HalException UNAVAILABLE if the first device cannot
   */
  private @Nullable HalException start(S stream) {
    Member<S, E> first = members.get(0);
    try {
      first.runtime().recordEvent(start, stream);
      first.runtime().waitEvent(first.stream, start);
    } catch (HalException e) {
      throw GpuRuntime.asLoss(e);
    }
    for (Member<S, E> member : members.subList(1, members.size())) {
      try {
        member.runtime().callBound(() -> member.runtime().waitEvent(member.stream, start));
      } catch (HalException e) {
        return e;
      }
    }
    return null;
  }

  /**
   * Puts the parts into the streams of all ranks, an event behind each, whatever becomes of the
   * others, and has {@code stream} wait for these. Returns what has failed, or null; of a loss the
   * library says only that something failed.
   *
   * @throws HalException UNAVAILABLE if the first device is lost
   */
  private @Nullable HalException put(CollectiveCall call, S stream) {
    members.forEach(
        member -> {
          member.isRecorded = false;
          member.hasParts = true;
        });
    HalException failure;
    try {
      failure = library.launch(call, communicators, streams);
    } catch (Throwable t) { // such as no memory
      failure = new HalException(Status.ABORTED, "a launch ended half-way: " + t, t);
    }
    for (Member<S, E> member : members) {
      failure = graver(failure, record(member));
    }
    for (Member<S, E> member : members) {
      if (member.isRecorded) {
        failure = graver(failure, join(stream, member));
      }
    }
    if (failure != null && members.get(0).runtime().isLost()) {
      throw GpuRuntime.asLoss(failure);
    }
    return failure;
  }

  /** A loss, if one of both tells of it; else the first one. */
  private static @Nullable HalException graver(
      @Nullable HalException first, @Nullable HalException second) {
    boolean isSecond =
        second != null
            && (first == null
                || second.status() == Status.UNAVAILABLE && first.status() != Status.UNAVAILABLE);
    return isSecond ? second : first;
  }

  private @Nullable HalException record(Member<S, E> member) {
    try {
      member.runtime().callBound(() -> member.runtime().recordEvent(member.event, member.stream));
      member.isRecorded = true;
      return null;
    } catch (HalException e) {
      return e;
    }
  }

  /** Has {@code stream}, of the first device, wait for a rank's part. */
  private @Nullable HalException join(S stream, Member<S, E> member) {
    try {
      members.get(0).runtime().waitEvent(stream, member.event);
      return null;
    } catch (HalException e) {
      return e;
    }
  }

  @Override
  public boolean isPast(int rank) {
    Member<S, E> member = members.get(rank);
    synchronized (this) {
      isEnded = true; // or a launch that has begun could put a part behind what is seen here
      if (member.isPast || !member.hasParts) {
        return !isLaunching;
      }
      if (isLaunching) { // which may put something behind the event
        return false;
      }
    }
    GpuRuntime<S, E, ?> runtime = member.runtime();
    boolean[] hasFired = new boolean[1];
    try {
      if (member.isRecorded && !runtime.isLost()) {
        runtime.callBound(() -> hasFired[0] = runtime.queryEvent(member.event));
      }
    } catch (Throwable t) { // a loss is remembered; otherwise the abort tells
      return runtime.isLost();
    }
    return hasFired[0] || runtime.isLost();
  }

  @Override
  public void abort(int rank, long patience) {
    Member<S, E> member = members.get(rank);
    synchronized (this) {
      isEnded = true;
      if (member.isAborting || member.isAborted || isClosed) {
        return;
      }
      if (!await(() -> !isLaunching, patience)) {
        throw new HalException(
            Status.DEADLINE_EXCEEDED,
            "a launch did not return within " + TimeUnit.NANOSECONDS.toMillis(patience) + " ms");
      }
      if (isClosed) { // meanwhile
        return;
      }
      member.isAborting = true;
    }
    boolean isPast = false;
    try {
      gate.runAtMost(patience, () -> member.bound(() -> library.abort(member.communicator)));
      isPast = true;
    } finally {
      endAbort(member, isPast);
    }
  }

  private void endAbort(Member<S, E> member, boolean isPast) {
    synchronized (this) {
      member.isPast = isPast;
      member.isAborted = true;
      member.isAborting = false;
      notifyAll();
      if (!member.isLeft) {
        return;
      }
    }
    freeAll(member);
  }

  /** With the monitor held. Returns false if it takes longer. */
  private boolean await(BooleanSupplier isSo, long patience) {
    long start = System.nanoTime();
    boolean wasInterrupted = false;
    while (!isSo.getAsBoolean()) {
      long left = patience - (System.nanoTime() - start);
      if (left <= 0) {
        break;
      }
      try {
        TimeUnit.NANOSECONDS.timedWait(this, left + 1_000_000); // at least one of its milliseconds
      } catch (InterruptedException e) {
        wasInterrupted = true;
      }
    }
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
    return isSo.getAsBoolean();
  }

  @Override
  public void close() {
    List<Member<S, E>> freed = new ArrayList<>();
    synchronized (this) {
      isEnded = true;
      isClosed = true;
      boolean ignored =
          await(() -> members.stream().noneMatch(member -> member.isAborting), FREE_NANOS);
      for (Member<S, E> member : members) {
        if (member.isAborting) {
          member.isLeft = true; // the abort that hangs frees what it uses
        } else {
          freed.add(member);
        }
      }
    }
    for (Member<S, E> member : freed) {
      if (!member.isAborted) {
        quietly(
            () ->
                gate.runAtMost(
                    FREE_NANOS, () -> member.bound(() -> library.destroy(member.communicator))));
      }
    }
    freed.forEach(this::freeAll);
  }
}
