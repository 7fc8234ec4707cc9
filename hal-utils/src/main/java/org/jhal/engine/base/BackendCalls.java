// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.base;

import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.ThreadBinding;
import org.jhal.driver.support.PlatformThreads;
import org.jhal.engine.concurrent.Gate;
import org.jhal.engine.timeline.Failures;
import org.jhal.spi.HostFailures;
import org.jspecify.annotations.Nullable;

/**
 * Calls into a device's backend, apart from those of its queues. The device is bound during a call.
 * A call is refused once the device is closed or lost, and closing can wait for the calls that run.
 *
 * <p>A virtual thread has a platform thread make the call, and waits for it.
 *
 * <p>A failure with status UNAVAILABLE means that the device is lost. So does a failure to bind or
 * unbind a thread.
 *
 * <p>Thread-safe.
 */
public final class BackendCalls {
  private static final System.Logger LOG = System.getLogger(BackendCalls.class.getName());

  private final String device;
  private final ThreadBinding backend;
  private final AtomicReference<@Nullable HalException> lost;
  private final Consumer<HalException> onLost;
  private final Gate gate = new Gate(); // threads in call() are inside
  private final Gate freeGate = new Gate(); // threads in free() are inside; shut later

  // How many cleanup steps have failed as the device is lost; of them, the first is logged.
  private final AtomicLong failedOnLost = new AtomicLong();

  /**
   * Creates the calls of the device named {@code device}.
   *
   * @param lost why the device is lost, or null
   * @param onLost called, with no lock held, when a call has lost the device
   */
  BackendCalls(
      String device,
      ThreadBinding backend,
      AtomicReference<@Nullable HalException> lost,
      Consumer<HalException> onLost) {
    this.device = device;
    this.backend = backend;
    this.lost = lost;
    this.onLost = onLost;
  }

  /**
   * Calls the backend with the device bound.
   *
   * @throws HalException FAILED_PRECONDITION if the device is closed, the cause if it is lost,
   *     RESOURCE_EXHAUSTED for a lack of memory or threads
   */
  public <T> T call(Supplier<T> body) {
    return PlatformThreads.call(
        device + "-call",
        () -> {
          if (!gate.tryEnter()) {
            throw closedFailure();
          }
          return callInside(body);
        });
  }

  /** Calls the backend like {@link #call}, but does nothing if the device is closed. */
  public void callIfOpen(Runnable body) {
    PlatformThreads.call(
        device + "-call",
        () ->
            !gate.tryEnter()
                || callInside(
                    () -> {
                      body.run();
                      return true;
                    }));
  }

  /** Makes the call inside the gate, and leaves the gate. */
  private <T> T callInside(Supplier<T> body) {
    try {
      HalException cause = lost.get();
      if (cause != null) {
        throw cause.again();
      }
      long token = bind();
      try {
        return body.get();
      } finally {
        unbind(token);
      }
    } catch (HalException e) {
      if (e.status() == Status.UNAVAILABLE && lost.get() == null) {
        onLost.accept(e);
      }
      throw e;
    } catch (OutOfMemoryError | UncheckedIOException e) { // also if no thread can be started
      throw HostFailures.of(Status.INTERNAL, device, e);
    } finally {
      gate.leave();
    }
  }

  private long bind() {
    try {
      return backend.bindToThread();
    } catch (Throwable t) {
      throw lossBy("bindToThread", t);
    }
  }

  /** Does not throw: the call has taken place, and its result must not be lost. */
  private void unbind(long token) {
    try {
      backend.unbindFromThread(token);
    } catch (Throwable t) {
      onLost.accept(lossBy("unbindFromThread", t));
    }
  }

  private HalException lossBy(String call, Throwable thrown) {
    return new HalException(
        Status.UNAVAILABLE,
        "device " + device + " is lost: " + call + " failed: " + Failures.describe(thrown),
        thrown);
  }

  /**
   * Gives a resource back to the backend. Never throws. Does nothing after {@link #endFreeing}:
   * closing the device frees what is still among its resources.
   */
  public void free(String what, Runnable free) {
    // The gate is entered on the thread that frees: a virtual thread may have to wait for that one.
    cleanUp(
        () -> {
          if (freeGate.tryEnter()) {
            try {
              quietlyHere("freeing " + what, free);
            } finally {
              freeGate.leave();
            }
          }
        });
  }

  /**
   * Calls {@code body}, which throws nothing. If this is a virtual thread, and no platform thread
   * can be started for it, the thread that reclaims calls it soon.
   */
  private void cleanUp(Runnable body) {
    try {
      PlatformThreads.call(
          device + "-call",
          () -> {
            body.run();
            return this;
          });
    } catch (HalException e) {
      Reclaimer.later(
          () -> {
            body.run();
            return true;
          });
    }
  }

  /**
   * Calls the backend with the device bound, for a cleanup step. What the step throws is logged.
   * The step is tried even if the device cannot be bound, since it will not be tried again.
   */
  public void quietly(String step, Runnable body) {
    cleanUp(() -> quietlyHere(step, body));
  }

  private void quietlyHere(String step, Runnable body) {
    boolean isBound = false;
    long token = 0;
    try {
      token = bind();
      isBound = true;
    } catch (Throwable t) {
      failed(step, t);
    }
    try {
      body.run();
    } catch (Throwable t) {
      failed(step, t);
    }
    if (isBound) {
      try {
        backend.unbindFromThread(token);
      } catch (Throwable t) {
        failed(step, lossBy("unbindFromThread", t));
      }
    }
  }

  private void failed(String step, Throwable thrown) {
    HalException failure = Failures.of(thrown);
    if (lost.get() == null
        || failure.status() != Status.UNAVAILABLE
        || failedOnLost.getAndIncrement() == 0) {
      Failures.log(LOG, Level.WARNING, device + ": " + step + " failed", thrown);
    }
    if (failure.status() == Status.UNAVAILABLE) {
      onLost.accept(failure); // parked operations must fail now, not at the next call
    }
  }

  /** Logs, in one line, how many steps more have failed because the device is lost, if any. */
  public void logFailedOnLost() {
    long more = failedOnLost.getAndSet(0) - 1;
    if (more > 0) {
      Failures.log(
          LOG,
          Level.WARNING,
          device
              + ": "
              + more
              + (more == 1 ? " more release has" : " more releases have")
              + " failed because the device is lost",
          null);
    }
  }

  // Closing.

  public boolean isShut() {
    return gate.isShut();
  }

  HalException closedFailure() {
    return new HalException(Status.FAILED_PRECONDITION, "device " + device + " is closed");
  }

  /** Refuses calls from now on. Returns false if that was so already. */
  public boolean shut() {
    return gate.shut();
  }

  /** Waits until no thread is inside a call. Returns false if the deadline passes first. */
  public boolean awaitEmpty(long deadline) {
    return gate.awaitEmpty(deadline);
  }

  /**
   * Makes {@link #free} do nothing from now on, and waits until no thread is inside it. Returns
   * false if the deadline passes first.
   */
  public boolean endFreeing(long deadline) {
    freeGate.shut();
    return freeGate.awaitEmpty(deadline);
  }
}
