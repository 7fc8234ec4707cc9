// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.support;

import com.google.common.base.Throwables;
import java.lang.reflect.Method;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.spi.HostFailures;
import org.jspecify.annotations.Nullable;

/**
 * Moves calls that need a bound device from virtual threads to platform threads. Native runtimes
 * bind a device to an operating system thread, which a virtual thread changes.
 *
 * <p>Thread-safe.
 */
public final class PlatformThreads {
  /** {@code Thread.isVirtual}; null before Java 21. */
  private static final @Nullable Method IS_VIRTUAL = find();

  private static final Object[] NO_ARGUMENTS = {}; // makes no garbage

  /**
   * Limits the concurrent calls of virtual threads, each on its own thread. Only calls that end by
   * themselves hold it. A call that waits for the program's work (see {@link #callUnlimited} and
   * {@link #waitUnlimited}) would otherwise keep out the calls that do this work.
   */
  private static final Semaphore CALLS =
      new Semaphore(4 * Runtime.getRuntime().availableProcessors());

  private static final class Caller extends EngineThread {
    private final AtomicBoolean hasPermit; // of CALLS

    Caller(String name, Runnable body, AtomicBoolean hasPermit) {
      super(name, body);
      this.hasPermit = hasPermit;
    }
  }

  private PlatformThreads() {}

  private static @Nullable Method find() {
    try {
      return Thread.class.getMethod("isVirtual");
    } catch (NoSuchMethodException e) {
      return null;
    }
  }

  /** Whether the calling thread is virtual. */
  public static boolean isCurrentVirtual() {
    if (IS_VIRTUAL == null) {
      return false;
    }
    try {
      return (boolean) IS_VIRTUAL.invoke(Thread.currentThread(), NO_ARGUMENTS);
    } catch (ReflectiveOperationException e) {
      Throwables.throwIfUnchecked(Objects.requireNonNull(e.getCause())); // such as no stack
      throw new AssertionError(e); // isVirtual() is public, and declares no exceptions
    }
  }

  /**
   * Calls {@code body} on the calling thread, or, if that is virtual, on a new {@link
   * EngineThread}, and waits for it. Not interruptible; keeps the interrupt status.
   *
   * @param name the name of the new thread
   * @throws HalException RESOURCE_EXHAUSTED if no thread can be started; {@code body} was not
   *     called
   * @throws RuntimeException what {@code body} throws; a {@link HalException} of another thread is
   *     thrown as a new one with the caller's stack trace
   */
  public static <T> T call(String name, Supplier<T> body) {
    if (!isCurrentVirtual()) {
      return body.get();
    }
    AtomicBoolean hasPermit = new AtomicBoolean(true);
    CALLS.acquireUninterruptibly();
    try {
      return callApart(name, body, hasPermit);
    } finally {
      release(hasPermit);
    }
  }

  private static void release(AtomicBoolean hasPermit) {
    if (hasPermit.compareAndSet(true, false)) {
      CALLS.release();
    }
  }

  /**
   * As {@link #call}, for calls that may wait for the program's work, such as a close. Their number
   * is unlimited and does not delay other calls.
   */
  public static <T> T callUnlimited(String name, Supplier<T> body) {
    return isCurrentVirtual() ? callApart(name, body, new AtomicBoolean()) : body.get();
  }

  /**
   * Turns the {@link #call} that runs on this thread, if any, into a {@link #callUnlimited}: it may
   * wait for the program's work from now on.
   */
  public static void waitUnlimited() {
    if (Thread.currentThread() instanceof Caller caller) {
      release(caller.hasPermit);
    }
  }

  private static <T> T callApart(String name, Supplier<T> body, AtomicBoolean hasPermit) {
    try {
      return CompletableFuture.supplyAsync(body, task -> new Caller(name, task, hasPermit).start())
          .join();
    } catch (CompletionException e) {
      Throwable thrown = Objects.requireNonNull(e.getCause());
      if (thrown instanceof HalException failure) {
        throw failure.again();
      }
      Throwables.throwIfUnchecked(thrown);
      throw new AssertionError(thrown); // a Supplier throws no checked exceptions
    } catch (OutOfMemoryError e) { // what the body throws is wrapped
      throw HostFailures.of(Status.RESOURCE_EXHAUSTED, "a virtual thread needs thread " + name, e);
    }
  }
}
