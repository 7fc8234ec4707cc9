package org.jhal.driver.support;

import com.google.common.base.Throwables;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jhal.HalException;
import org.jspecify.annotations.Nullable;

/**
 * Moves calls that need a bound device from virtual threads to platform threads. Native runtimes
 * bind a device to a thread of the operating system, and a virtual thread may continue on another
 * one after each monitor and each wait. So a device is never bound to a virtual thread.
 *
 * <p>Thread-safe.
 */
public final class PlatformThreads {
  /** {@code Thread.isVirtual}; null before Java 21. */
  private static final @Nullable MethodHandle IS_VIRTUAL = find();

  /**
   * Limits how many calls of virtual threads are under way at once, each on a thread of its own.
   * Held only by calls that end by themselves: one that waits for work of the program, see {@link
   * #callUnlimited} and {@link #waitUnlimited}, would keep those out that bring the work about.
   */
  private static final Semaphore CALLS =
      new Semaphore(4 * Runtime.getRuntime().availableProcessors());

  /** Makes the call of a virtual thread. */
  private static final class Caller extends EngineThread {
    private final AtomicBoolean hasPermit; // of CALLS

    Caller(String name, Runnable body, AtomicBoolean hasPermit) {
      super(name, body);
      this.hasPermit = hasPermit;
    }
  }

  private PlatformThreads() {}

  private static @Nullable MethodHandle find() {
    try {
      return MethodHandles.publicLookup()
          .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
    } catch (NoSuchMethodException | IllegalAccessException e) {
      return null;
    }
  }

  /** Whether the calling thread is virtual. */
  public static boolean isCurrentVirtual() {
    if (IS_VIRTUAL == null) {
      return false;
    }
    try {
      return (boolean) IS_VIRTUAL.invokeExact(Thread.currentThread());
    } catch (Throwable t) {
      Throwables.throwIfUnchecked(t);
      throw new AssertionError(t); // isVirtual() declares no exceptions
    }
  }

  /**
   * Calls {@code body} on the calling thread, or, if that is virtual, on a new {@link
   * EngineThread}, and waits for it. An interrupt does not end the wait; the thread's interrupt
   * status is kept.
   *
   * @param name the name of the new thread
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
   * As {@link #call}, for what may wait for work of the program, such as a close: however many of
   * those there are, other calls of virtual threads go on.
   */
  public static <T> T callUnlimited(String name, Supplier<T> body) {
    return isCurrentVirtual() ? callApart(name, body, new AtomicBoolean()) : body.get();
  }

  /**
   * From now on the calling thread may wait for work of the program. If it makes a {@link #call} of
   * a virtual thread, this goes on as with {@link #callUnlimited}; otherwise this does nothing.
   */
  public static void waitUnlimited() {
    if (Thread.currentThread() instanceof Caller caller) {
      release(caller.hasPermit);
    }
  }

  private static <T> T callApart(String name, Supplier<T> body, AtomicBoolean hasPermit) {
    CompletableFuture<T> result = new CompletableFuture<>();
    Runnable task =
        () -> {
          try {
            result.complete(body.get());
          } catch (Throwable t) {
            result.completeExceptionally(t);
          }
        };
    try {
      new Caller(name, task, hasPermit).start();
      return result.join(); // an interrupt does not end it
    } catch (CompletionException e) {
      Throwable thrown = Objects.requireNonNull(e.getCause());
      if (thrown instanceof HalException failure) {
        throw failure.again();
      }
      Throwables.throwIfUnchecked(thrown);
      throw new AssertionError(thrown); // a Supplier throws no checked exceptions
    }
  }
}
