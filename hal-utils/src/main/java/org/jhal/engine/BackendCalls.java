package org.jhal.engine;

import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.ThreadBinding;
import org.jhal.driver.support.PlatformThreads;
import org.jhal.engine.concurrent.Gate;
import org.jhal.engine.queue.Failures;
import org.jspecify.annotations.Nullable;

/**
 * Calls into a device's backend, beside those of its queues: with the device bound, refused once
 * the device is closed or lost, and such that closing can wait for them.
 *
 * <p>A virtual thread has another thread make the call, and waits for it.
 *
 * <p>A failure with status UNAVAILABLE means that the device is lost, and so does one of binding or
 * unbinding a thread.
 *
 * <p>Thread-safe.
 */
final class BackendCalls {
  private static final System.Logger LOG = System.getLogger(BackendCalls.class.getName());

  private final String device;
  private final ThreadBinding backend;
  private final AtomicReference<@Nullable HalException> lost;
  private final Consumer<HalException> onLost;
  private final Gate gate = new Gate(); // threads in call()
  private final Gate freeGate = new Gate(); // threads in free(); shut last

  /**
   * The calls of the device named {@code device}.
   *
   * @param lost why the device is lost
   * @param onLost told, with no lock held, that a call has lost it
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

  /** Calls the backend with the device bound; refuses if the device is closed or lost. */
  <T> T call(Supplier<T> body) {
    return PlatformThreads.call(
        device + "-call",
        () -> {
          if (!gate.tryEnter()) {
            throw closedFailure();
          }
          return callInside(body);
        });
  }

  /** As {@link #call}, but does nothing if the device is closed. */
  void callIfOpen(Runnable body) {
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

  /** Within the gate, which it leaves. */
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

  /** Does not throw: what was called between has happened, and its result must not be dropped. */
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
   * Gives something back to the backend. Does nothing once {@link #endFreeing} was called: closing
   * the device frees all that is still among its resources. Never throws.
   */
  void free(String what, Runnable free) {
    if (freeGate.tryEnter()) {
      try {
        quietly("freeing " + what, free);
      } finally {
        freeGate.leave();
      }
    }
  }

  /**
   * Calls the backend with the device bound, for a step of an end: what it throws is logged, and
   * the end goes on. The step is tried even if the device cannot be bound: who asks for it will not
   * ask again.
   */
  void quietly(String step, Runnable body) {
    PlatformThreads.call(
        device + "-call",
        () -> {
          quietlyHere(step, body);
          return this;
        });
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
    LOG.log(Level.WARNING, device + ": " + step + " failed", thrown);
    HalException failure = Failures.of(thrown);
    if (failure.status() == Status.UNAVAILABLE) {
      onLost.accept(failure); // what is parked would not know until the next call
    }
  }

  // The end.

  boolean isShut() {
    return gate.isShut();
  }

  HalException closedFailure() {
    return new HalException(Status.FAILED_PRECONDITION, "device " + device + " is closed");
  }

  /** Refuses calls from now on; returns whether this is the first time. */
  boolean shut() {
    return gate.shut();
  }

  /** Waits until nobody is in a call, or the deadline has passed. */
  boolean awaitEmpty(long deadline) {
    return gate.awaitEmpty(deadline);
  }

  /** Makes {@link #free} do nothing from now on; waits until nobody is in it. */
  boolean endFreeing(long deadline) {
    freeGate.shut();
    return freeGate.awaitEmpty(deadline);
  }
}
