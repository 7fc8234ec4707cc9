package org.jhal.gpu.collective;

import com.google.common.util.concurrent.Uninterruptibles;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.EngineThread;
import org.jhal.gpu.natives.LaunchGate;

/**
 * The devices of a group and their communicators, which keep the native devices in use. One group
 * has it at a time, or the {@link CommunicatorCache}.
 */
final class Clique {
  private static final System.Logger LOG = System.getLogger(Clique.class.getName());

  /** How long making communicators, which takes a second or two, may keep launches out. */
  private static final long MAKE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** How long freeing communicators may keep launches out. */
  private static final long END_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final List<GroupDevice> devices; // by rank
  private final LaunchGate gate;
  private final Communicators communicators;

  private Clique(List<GroupDevice> devices, LaunchGate gate, Communicators communicators) {
    this.devices = devices;
    this.gate = gate;
    this.communicators = communicators;
  }

  /**
   * Makes communicators. Blocks.
   *
   * @param devices by rank, on different GPUs
   * @param patience how long it may take, in nanoseconds
   * @throws HalException if the library refuses, or there is not enough memory; DEADLINE_EXCEEDED
   *     if it takes longer
   */
  static Clique create(
      CollectiveLibrary library, LaunchGate gate, List<GroupDevice> devices, long patience) {
    CompletableFuture<Clique> made = new CompletableFuture<>();
    AtomicBoolean isLate = new AtomicBoolean();
    // The library may hang, and what it uses is kept until it returns.
    new EngineThread(
            "jhal-group-make",
            () -> {
              try {
                long limit = Math.min(patience, MAKE_NANOS);
                gate.runAtMost(limit, () -> make(library, gate, devices, isLate, made));
              } catch (Throwable t) {
                boolean ignored = made.completeExceptionally(t);
              }
            })
        .start();
    try {
      try {
        return Objects.requireNonNull(
            Uninterruptibles.getUninterruptibly(made, patience, TimeUnit.NANOSECONDS));
      } catch (TimeoutException e) {
        boolean ignored =
            made.completeExceptionally(
                new HalException(
                    Status.DEADLINE_EXCEEDED,
                    library + " made no communicators within " + Duration.ofNanos(patience)));
        isLate.set(true); // behind that, or it could be told in other words
        // They may be ready all the same.
        return Objects.requireNonNull(Uninterruptibles.getUninterruptibly(made));
      }
    } catch (ExecutionException e) {
      throw e.getCause() instanceof HalException failure
          ? failure
          : new HalException(Status.INTERNAL, "no communicators: " + e.getCause(), e.getCause());
    }
  }

  private static void make(
      CollectiveLibrary library,
      LaunchGate gate,
      List<GroupDevice> devices,
      AtomicBoolean isLate,
      CompletableFuture<Clique> made) {
    if (isLate.get()) {
      return;
    }
    int retained = 0;
    boolean isKept = false;
    try {
      for (GroupDevice device : devices) {
        ofRank(retained, device.runtime()::retain);
        retained++;
      }
      Communicators communicators = communicators(library, devices, isLate);
      isKept = made.complete(new Clique(devices, gate, communicators));
      if (!isKept) {
        communicators.abort(rank -> {});
      }
    } finally {
      for (int rank = 0; rank < retained && !isKept; rank++) {
        devices.get(rank).runtime().release();
      }
    }
  }

  /**
   * Does something with the device of a rank. That another one than the first is lost is told as no
   * loss: the caller would take it for the loss of the first one.
   */
  static <T> T ofRank(int rank, Supplier<T> body) {
    try {
      return body.get();
    } catch (HalException e) {
      if (rank == 0 || e.status() != Status.UNAVAILABLE) {
        throw e;
      }
      throw new HalException(
          Status.FAILED_PRECONDITION,
          "the device of rank " + rank + " is lost: " + e.getMessage(),
          e);
    }
  }

  private static void ofRank(int rank, Runnable body) {
    boolean ignored = ofRank(rank, LaunchGate.returning(body));
  }

  /** Memory that pools keep is not theirs to use, so it is given back if there is too little. */
  private static Communicators communicators(
      CollectiveLibrary library, List<GroupDevice> devices, AtomicBoolean isLate) {
    int[] ordinals = devices.stream().mapToInt(GroupDevice::place).toArray();
    Communicators.Binding binding =
        (rank, isNeeded, body) -> ofRank(rank, () -> bound(devices.get(rank), isNeeded, body));
    try {
      return Communicators.create(library, ordinals, binding, isLate::get);
    } catch (HalException e) {
      if (isLate.get()) {
        throw e;
      }
      devices.forEach(device -> device.runtime().giveBack(device.runtime()::trimPool));
      try {
        return Communicators.create(library, ordinals, binding, isLate::get);
      } catch (HalException again) {
        again.addSuppressed(e);
        throw again;
      }
    }
  }

  /** With the device bound, or else the library would make the first GPU of the machine current. */
  private static void bound(GroupDevice device, boolean isNeeded, Runnable body) {
    long token;
    try {
      token = device.runtime().bindToThread();
    } catch (HalException e) {
      if (isNeeded) {
        throw e;
      }
      body.run();
      return;
    }
    try {
      body.run();
    } finally {
      try {
        device.runtime().unbindFromThread(token);
      } catch (HalException e) { // what the body has done is done, and the thread ends soon
        LOG.log(Level.DEBUG, device.name() + " stays bound to a thread of a group", e);
      }
    }
  }

  List<GroupDevice> devices() {
    return devices;
  }

  Communicators communicators() {
    return communicators;
  }

  /** Whether a device of it is being closed, or is closed. */
  boolean isClosing() {
    return devices.stream().anyMatch(GroupDevice::isClosing);
  }

  /** Whether another group may use it. */
  boolean isSound() {
    return !isClosing()
        && devices.stream().noneMatch(device -> device.runtime().isLost())
        && communicators.failure() == null;
  }

  /** Frees it; nothing uses it any more. Blocks. Throws nothing. */
  void end() {
    try {
      gate.runAhead(END_NANOS, () -> communicators.end(END_NANOS));
    } catch (Throwable t) { // no caller could handle it
      LOG.log(Level.WARNING, "a communicator is not freed before the process ends", t);
    } finally {
      release();
    }
  }

  /** Its communicators are gone, or as good as gone. */
  void release() {
    devices.forEach(device -> device.runtime().release());
  }
}
