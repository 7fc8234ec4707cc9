// SPDX-License-Identifier: Apache-2.0
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
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.Attempt;
import org.jhal.driver.support.EngineThread;
import org.jhal.engine.base.AtExit;
import org.jhal.gpu.natives.LaunchGate;
import org.jhal.spi.DurationText;
import org.jhal.spi.HostFailures;

/**
 * The devices of a group and their communicators, which keep the native devices in use. Owned by
 * one group at a time, or by the {@link CommunicatorCache}.
 *
 * @param devices by rank
 * @param gate keeps calls on the communicators apart from launches
 */
record Clique(List<GroupDevice> devices, LaunchGate gate, Communicators communicators) {
  private static final System.Logger LOG = System.getLogger(Clique.class.getName());

  /** How long making communicators may keep launches out; it takes a second or two. */
  private static final long MAKE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final long END_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Makes communicators of devices on different GPUs; see {@link GpuGroup#create}. */
  static Clique create(
      CollectiveLibrary library, LaunchGate gate, List<GroupDevice> devices, long patience) {
    CompletableFuture<Clique> made = new CompletableFuture<>();
    // The library may hang; its objects are kept until it returns.
    Thread maker =
        new EngineThread(
            "jhal-group-make",
            () -> {
              Runnable make = () -> AtExit.during(() -> make(library, gate, devices, made));
              Throwable thrown =
                  Attempt.of(() -> gate.runAtMost(Math.min(patience, MAKE_NANOS), make));
              if (thrown != null) {
                made.completeExceptionally(thrown);
              }
            });
    try {
      maker.start();
    } catch (OutOfMemoryError e) {
      throw HostFailures.of(Status.RESOURCE_EXHAUSTED, "no communicators", e);
    }
    try {
      try {
        return Objects.requireNonNull(
            Uninterruptibles.getUninterruptibly(made, patience, TimeUnit.NANOSECONDS));
      } catch (TimeoutException e) {
        // from now on it is late
        made.completeExceptionally(
            new HalException(
                Status.DEADLINE_EXCEEDED,
                library
                    + " made no communicators within "
                    + DurationText.of(Duration.ofNanos(patience))));
        // They may be ready by now.
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
      CompletableFuture<Clique> made) {
    if (made.isDone()) {
      return;
    }
    int retained = 0;
    boolean isKept = false;
    try {
      for (GroupDevice device : devices) {
        ofRank(retained, device.runtime()::retain);
        retained++;
      }
      Communicators communicators = communicators(library, devices, made::isDone);
      isKept = made.complete(new Clique(devices, gate, communicators));
      if (!isKept) {
        communicators.abort();
      }
    } finally {
      for (int rank = 0; rank < retained && !isKept; rank++) {
        devices.get(rank).runtime().release();
      }
    }
  }

  /**
   * Calls {@code body} for the device of a rank. Reports the loss of any device but the first with
   * another status: the caller would take it for the loss of the first.
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
    ofRank(rank, LaunchGate.returning(body));
  }

  /**
   * The library cannot use memory that pools keep, so that is given back if there is too little.
   */
  private static Communicators communicators(
      CollectiveLibrary library, List<GroupDevice> devices, BooleanSupplier isLate) {
    int[] ordinals = devices.stream().mapToInt(GroupDevice::place).toArray();
    Communicators.Binding binding =
        (rank, isNeeded, body) -> ofRank(rank, () -> bound(devices.get(rank), isNeeded, body));
    CollectiveGraphs graphs =
        library.abortsTogether() ? CollectiveGraphs.of(devices, binding) : null;
    try {
      return Communicators.create(library, ordinals, binding, graphs, isLate);
    } catch (HalException e) {
      if (isLate.getAsBoolean()) {
        throw e;
      }
      devices.forEach(device -> device.runtime().giveBack(device.runtime()::trimPool));
      try {
        return Communicators.create(library, ordinals, binding, graphs, isLate);
      } catch (HalException again) {
        again.addSuppressed(e);
        throw again;
      }
    }
  }

  /** With the device bound; otherwise the library would make the machine's first GPU current. */
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
      } catch (HalException e) { // the body has run
        if (isNeeded) {
          throw e;
        }
        LOG.log(Level.DEBUG, device.name() + " stays bound to a thread of a group", e);
      }
    }
  }

  boolean isClosing() {
    return devices.stream().anyMatch(GroupDevice::isClosing);
  }

  boolean isSound() {
    return !isClosing()
        && devices.stream().noneMatch(device -> device.runtime().isLost())
        && communicators.isSound();
  }

  /** Frees it after its last use. Blocks. Throws nothing, unless the logger does. */
  void end() {
    try {
      Throwable thrown =
          Attempt.of(
              () ->
                  gate.runAhead(
                      END_NANOS, () -> AtExit.during(() -> communicators.end(END_NANOS))));
      if (thrown != null) { // no caller could handle it
        LOG.log(Level.WARNING, "a communicator is not freed before the process ends", thrown);
      }
    } finally {
      release();
    }
  }

  /** Releases the devices: the communicators are freed or given up. */
  void release() {
    devices.forEach(device -> device.runtime().release());
  }
}
