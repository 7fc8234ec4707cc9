package org.jhal.engine.queue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jhal.HalException;
import org.jhal.Registration;
import org.jspecify.annotations.Nullable;

/**
 * A stage that completes when a value of a semaphore is reached (rule S7). Only the timeline
 * completes it: like a {@linkplain CompletableFuture#minimalCompletionStage() minimal stage} it
 * refuses to be used as a future. {@link #toCompletableFuture} makes a copy that belongs to its
 * caller.
 *
 * <p>A copy is registered with the semaphore on its own, and the stage while a stage that was
 * derived from it is open: {@link CompletableFuture} calls {@link #newIncompleteFuture} to derive
 * one. So nothing stays behind when their owners complete them.
 *
 * <p>Thread-safe.
 */
final class ReachStage extends CompletableFuture<@Nullable Void> {
  private final EngineSemaphore semaphore;
  private final long wanted;
  private final Object lock = new Object();

  // How many derived stages are open. Guarded by lock.
  private int derived;

  // Whether the stage is registered, or a thread is about to register it. Guarded by lock.
  private boolean isRegistered;

  // Null while nothing is registered, and while a thread is registering it. Guarded by lock.
  private @Nullable Registration registration;

  ReachStage(EngineSemaphore semaphore, long wanted) {
    this.semaphore = semaphore;
    this.wanted = wanted;
  }

  @Override
  public CompletableFuture<@Nullable Void> toCompletableFuture() {
    CompletableFuture<@Nullable Void> copy = new CompletableFuture<>();
    Registration registered =
        semaphore.observe(
            wanted,
            failed -> {
              boolean ignored =
                  failed == null ? copy.complete(null) : copy.completeExceptionally(again(failed));
            });
    var unused = copy.whenComplete((nothing, thrown) -> registered.cancel());
    return copy;
  }

  @Override
  public <U extends @Nullable Object> CompletableFuture<U> newIncompleteFuture() {
    CompletableFuture<U> made = new CompletableFuture<>();
    enter();
    var unused = made.whenComplete((result, thrown) -> leave());
    return made;
  }

  private void enter() {
    synchronized (lock) {
      derived++;
      if (isRegistered) {
        return;
      }
      isRegistered = true;
    }
    Registration made = null;
    try {
      made = semaphore.observe(wanted, this::finish);
    } finally {
      registered(made);
    }
  }

  /** The calling thread has registered the stage, or has failed to. */
  private void registered(@Nullable Registration made) {
    synchronized (lock) {
      if (made == null) {
        derived--; // its maker throws
      }
      if (made != null && derived > 0) {
        registration = made;
        return;
      }
      isRegistered = false; // all derived stages were completed meanwhile
    }
    if (made != null) {
      boolean ignored = made.cancel();
    }
  }

  private void leave() {
    Registration ended;
    synchronized (lock) {
      derived--;
      if (derived > 0 || registration == null) {
        return; // a thread that is registering the stage sees that none is left
      }
      ended = registration;
      registration = null;
      isRegistered = false;
    }
    boolean ignored = ended.cancel();
  }

  private void finish(@Nullable HalException failed) {
    boolean ignored =
        failed == null ? super.complete(null) : super.completeExceptionally(again(failed));
  }

  /** A copy, or the failure itself if there is no memory or stack for one. */
  private static HalException again(HalException failed) {
    try {
      return failed.again();
    } catch (Throwable exhausted) {
      return failed;
    }
  }

  // A stage is no future.

  private static UnsupportedOperationException refused() {
    return new UnsupportedOperationException(
        "a stage of a timeline is no future: use toCompletableFuture()");
  }

  @Override
  public @Nullable Void get() {
    throw refused();
  }

  @Override
  public @Nullable Void get(long timeout, TimeUnit unit) {
    throw refused();
  }

  @Override
  public @Nullable Void getNow(@Nullable Void absent) {
    throw refused();
  }

  @Override
  public @Nullable Void join() {
    throw refused();
  }

  @Override
  public boolean complete(@Nullable Void value) {
    throw refused();
  }

  @Override
  public boolean completeExceptionally(Throwable thrown) {
    throw refused();
  }

  @Override
  public boolean cancel(boolean mayInterrupt) {
    throw refused();
  }

  @Override
  public void obtrudeValue(@Nullable Void value) {
    throw refused();
  }

  @Override
  public void obtrudeException(Throwable thrown) {
    throw refused();
  }

  @Override
  public boolean isDone() {
    throw refused();
  }

  @Override
  public boolean isCancelled() {
    throw refused();
  }

  @Override
  public boolean isCompletedExceptionally() {
    throw refused();
  }

  @Override
  public CompletableFuture<@Nullable Void> completeAsync(
      Supplier<? extends @Nullable Void> supplier, Executor executor) {
    throw refused();
  }

  @Override
  public CompletableFuture<@Nullable Void> completeAsync(
      Supplier<? extends @Nullable Void> supplier) {
    throw refused();
  }

  @Override
  public CompletableFuture<@Nullable Void> orTimeout(long timeout, TimeUnit unit) {
    throw refused();
  }

  @Override
  public CompletableFuture<@Nullable Void> completeOnTimeout(
      @Nullable Void value, long timeout, TimeUnit unit) {
    throw refused();
  }

  @Override
  public String toString() {
    return "stage of " + semaphore + "@" + wanted;
  }
}
