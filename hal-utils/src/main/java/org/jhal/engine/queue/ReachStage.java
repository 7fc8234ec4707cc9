package org.jhal.engine.queue;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jhal.HalException;
import org.jhal.Registration;
import org.jspecify.annotations.Nullable;

/**
 * A stage that completes when a value of a semaphore is reached (rule S7). It is no future, so only
 * the timeline completes it.
 *
 * <p>It holds nothing. Each stage that is derived from it, and each future of it, is registered
 * with the semaphore on its own, until the timeline or its owner completes it. A {@link
 * CompletableFuture} in its place would keep what was derived from it, also after that was
 * cancelled.
 *
 * <p>Thread-safe.
 */
final class ReachStage implements CompletionStage<@Nullable Void> {
  private final EngineSemaphore semaphore;
  private final long wanted;

  ReachStage(EngineSemaphore semaphore, long wanted) {
    this.semaphore = semaphore;
    this.wanted = wanted;
  }

  @Override
  public CompletableFuture<@Nullable Void> toCompletableFuture() {
    return derive(source -> source);
  }

  /**
   * Derives something from a new future of the timepoint. When it is completed, the future waits no
   * more.
   */
  private <U extends @Nullable Object> CompletableFuture<U> derive(
      Function<CompletableFuture<@Nullable Void>, CompletableFuture<U>> how) {
    CompletableFuture<@Nullable Void> source = new CompletableFuture<>();
    Registration registered =
        semaphore.observe(
            wanted,
            failed -> {
              boolean ignored =
                  failed == null
                      ? source.complete(null)
                      : source.completeExceptionally(again(failed));
            });
    try {
      CompletableFuture<U> derived = how.apply(source);
      var unused = derived.whenComplete((result, thrown) -> registered.cancel());
      return derived;
    } catch (Throwable t) { // a null argument, or no memory
      boolean ignored = registered.cancel();
      throw t;
    }
  }

  /**
   * Derives something from this and from {@code other}. If that is of a timeline, too, what is
   * derived waits there no more either, once it is completed.
   */
  private <T extends @Nullable Object, U extends @Nullable Object> CompletableFuture<U> derive(
      CompletionStage<T> other,
      BiFunction<CompletableFuture<@Nullable Void>, CompletionStage<T>, CompletableFuture<U>> how) {
    CompletableFuture<@Nullable Void> over = new CompletableFuture<>();
    CompletionStage<T> second = until(over, other);
    try {
      CompletableFuture<U> derived = derive(source -> how.apply(source, second));
      var unused = derived.whenComplete((result, thrown) -> over.complete(null));
      return derived;
    } catch (Throwable t) { // as above
      boolean ignored = over.complete(null);
      throw t;
    }
  }

  /** As {@link #derive(CompletionStage, BiFunction)}, with the stage that {@code fn} returns. */
  private <U extends @Nullable Object> CompletableFuture<U> compose(
      Function<? super @Nullable Void, ? extends CompletionStage<U>> fn,
      BiFunction<
              CompletableFuture<@Nullable Void>,
              Function<@Nullable Void, CompletionStage<U>>,
              CompletableFuture<U>>
          how) {
    Objects.requireNonNull(fn, "fn");
    CompletableFuture<@Nullable Void> over = new CompletableFuture<>();
    CompletableFuture<U> derived =
        derive(source -> how.apply(source, nothing -> until(over, fn.apply(nothing))));
    var unused = derived.whenComplete((result, thrown) -> over.complete(null));
    return derived;
  }

  /** A stage like {@code stage}, which waits for its timeline only until {@code over}. */
  private static <T extends @Nullable Object> CompletionStage<T> until(
      CompletableFuture<@Nullable Void> over, CompletionStage<T> stage) {
    if (!(stage instanceof ReachStage)) {
      return stage;
    }
    CompletableFuture<T> future = stage.toCompletableFuture();
    var unused = over.whenComplete((nothing, thrown) -> future.cancel(false));
    return future;
  }

  /** A copy, or the failure itself if there is no memory or stack for one. */
  private static HalException again(HalException failed) {
    try {
      return failed.again();
    } catch (Throwable exhausted) {
      return failed;
    }
  }

  // The methods of a stage.

  @Override
  public <U extends @Nullable Object> CompletionStage<U> thenApply(
      Function<? super @Nullable Void, ? extends U> fn) {
    return derive(source -> source.thenApply(fn));
  }

  @Override
  public <U extends @Nullable Object> CompletionStage<U> thenApplyAsync(
      Function<? super @Nullable Void, ? extends U> fn) {
    return derive(source -> source.thenApplyAsync(fn));
  }

  @Override
  public <U extends @Nullable Object> CompletionStage<U> thenApplyAsync(
      Function<? super @Nullable Void, ? extends U> fn, Executor executor) {
    return derive(source -> source.thenApplyAsync(fn, executor));
  }

  @Override
  public CompletionStage<Void> thenAccept(Consumer<? super @Nullable Void> action) {
    return derive(source -> source.thenAccept(action));
  }

  @Override
  public CompletionStage<Void> thenAcceptAsync(Consumer<? super @Nullable Void> action) {
    return derive(source -> source.thenAcceptAsync(action));
  }

  @Override
  public CompletionStage<Void> thenAcceptAsync(
      Consumer<? super @Nullable Void> action, Executor executor) {
    return derive(source -> source.thenAcceptAsync(action, executor));
  }

  @Override
  public CompletionStage<Void> thenRun(Runnable action) {
    return derive(source -> source.thenRun(action));
  }

  @Override
  public CompletionStage<Void> thenRunAsync(Runnable action) {
    return derive(source -> source.thenRunAsync(action));
  }

  @Override
  public CompletionStage<Void> thenRunAsync(Runnable action, Executor executor) {
    return derive(source -> source.thenRunAsync(action, executor));
  }

  @Override
  public <U extends @Nullable Object, V extends @Nullable Object> CompletionStage<V> thenCombine(
      CompletionStage<? extends U> other,
      BiFunction<? super @Nullable Void, ? super U, ? extends V> fn) {
    return derive(other, (source, second) -> source.thenCombine(second, fn));
  }

  @Override
  public <U extends @Nullable Object, V extends @Nullable Object>
      CompletionStage<V> thenCombineAsync(
          CompletionStage<? extends U> other,
          BiFunction<? super @Nullable Void, ? super U, ? extends V> fn) {
    return derive(other, (source, second) -> source.thenCombineAsync(second, fn));
  }

  @Override
  public <U extends @Nullable Object, V extends @Nullable Object>
      CompletionStage<V> thenCombineAsync(
          CompletionStage<? extends U> other,
          BiFunction<? super @Nullable Void, ? super U, ? extends V> fn,
          Executor executor) {
    return derive(other, (source, second) -> source.thenCombineAsync(second, fn, executor));
  }

  @Override
  public <U extends @Nullable Object> CompletionStage<Void> thenAcceptBoth(
      CompletionStage<? extends U> other, BiConsumer<? super @Nullable Void, ? super U> action) {
    return derive(other, (source, second) -> source.thenAcceptBoth(second, action));
  }

  @Override
  public <U extends @Nullable Object> CompletionStage<Void> thenAcceptBothAsync(
      CompletionStage<? extends U> other, BiConsumer<? super @Nullable Void, ? super U> action) {
    return derive(other, (source, second) -> source.thenAcceptBothAsync(second, action));
  }

  @Override
  public <U extends @Nullable Object> CompletionStage<Void> thenAcceptBothAsync(
      CompletionStage<? extends U> other,
      BiConsumer<? super @Nullable Void, ? super U> action,
      Executor executor) {
    return derive(other, (source, second) -> source.thenAcceptBothAsync(second, action, executor));
  }

  @Override
  public CompletionStage<Void> runAfterBoth(CompletionStage<?> other, Runnable action) {
    return derive(other, (source, second) -> source.runAfterBoth(second, action));
  }

  @Override
  public CompletionStage<Void> runAfterBothAsync(CompletionStage<?> other, Runnable action) {
    return derive(other, (source, second) -> source.runAfterBothAsync(second, action));
  }

  @Override
  public CompletionStage<Void> runAfterBothAsync(
      CompletionStage<?> other, Runnable action, Executor executor) {
    return derive(other, (source, second) -> source.runAfterBothAsync(second, action, executor));
  }

  @Override
  public <U extends @Nullable Object> CompletionStage<U> applyToEither(
      CompletionStage<? extends @Nullable Void> other, Function<? super @Nullable Void, U> fn) {
    return derive(other, (source, second) -> source.applyToEither(second, fn));
  }

  @Override
  public <U extends @Nullable Object> CompletionStage<U> applyToEitherAsync(
      CompletionStage<? extends @Nullable Void> other, Function<? super @Nullable Void, U> fn) {
    return derive(other, (source, second) -> source.applyToEitherAsync(second, fn));
  }

  @Override
  public <U extends @Nullable Object> CompletionStage<U> applyToEitherAsync(
      CompletionStage<? extends @Nullable Void> other,
      Function<? super @Nullable Void, U> fn,
      Executor executor) {
    return derive(other, (source, second) -> source.applyToEitherAsync(second, fn, executor));
  }

  @Override
  public CompletionStage<Void> acceptEither(
      CompletionStage<? extends @Nullable Void> other, Consumer<? super @Nullable Void> action) {
    return derive(other, (source, second) -> source.acceptEither(second, action));
  }

  @Override
  public CompletionStage<Void> acceptEitherAsync(
      CompletionStage<? extends @Nullable Void> other, Consumer<? super @Nullable Void> action) {
    return derive(other, (source, second) -> source.acceptEitherAsync(second, action));
  }

  @Override
  public CompletionStage<Void> acceptEitherAsync(
      CompletionStage<? extends @Nullable Void> other,
      Consumer<? super @Nullable Void> action,
      Executor executor) {
    return derive(other, (source, second) -> source.acceptEitherAsync(second, action, executor));
  }

  @Override
  public CompletionStage<Void> runAfterEither(CompletionStage<?> other, Runnable action) {
    return derive(other, (source, second) -> source.runAfterEither(second, action));
  }

  @Override
  public CompletionStage<Void> runAfterEitherAsync(CompletionStage<?> other, Runnable action) {
    return derive(other, (source, second) -> source.runAfterEitherAsync(second, action));
  }

  @Override
  public CompletionStage<Void> runAfterEitherAsync(
      CompletionStage<?> other, Runnable action, Executor executor) {
    return derive(other, (source, second) -> source.runAfterEitherAsync(second, action, executor));
  }

  @Override
  public <U extends @Nullable Object> CompletionStage<U> thenCompose(
      Function<? super @Nullable Void, ? extends CompletionStage<U>> fn) {
    return compose(fn, (source, composed) -> source.thenCompose(composed));
  }

  @Override
  public <U extends @Nullable Object> CompletionStage<U> thenComposeAsync(
      Function<? super @Nullable Void, ? extends CompletionStage<U>> fn) {
    return compose(fn, (source, composed) -> source.thenComposeAsync(composed));
  }

  @Override
  public <U extends @Nullable Object> CompletionStage<U> thenComposeAsync(
      Function<? super @Nullable Void, ? extends CompletionStage<U>> fn, Executor executor) {
    return compose(fn, (source, composed) -> source.thenComposeAsync(composed, executor));
  }

  @Override
  public <U extends @Nullable Object> CompletionStage<U> handle(
      BiFunction<? super @Nullable Void, @Nullable Throwable, ? extends U> fn) {
    return derive(source -> source.handle(fn));
  }

  @Override
  public <U extends @Nullable Object> CompletionStage<U> handleAsync(
      BiFunction<? super @Nullable Void, @Nullable Throwable, ? extends U> fn) {
    return derive(source -> source.handleAsync(fn));
  }

  @Override
  public <U extends @Nullable Object> CompletionStage<U> handleAsync(
      BiFunction<? super @Nullable Void, @Nullable Throwable, ? extends U> fn, Executor executor) {
    return derive(source -> source.handleAsync(fn, executor));
  }

  @Override
  public CompletionStage<@Nullable Void> whenComplete(
      BiConsumer<? super @Nullable Void, ? super @Nullable Throwable> action) {
    return derive(source -> source.whenComplete(action));
  }

  @Override
  public CompletionStage<@Nullable Void> whenCompleteAsync(
      BiConsumer<? super @Nullable Void, ? super @Nullable Throwable> action) {
    return derive(source -> source.whenCompleteAsync(action));
  }

  @Override
  public CompletionStage<@Nullable Void> whenCompleteAsync(
      BiConsumer<? super @Nullable Void, ? super @Nullable Throwable> action, Executor executor) {
    return derive(source -> source.whenCompleteAsync(action, executor));
  }

  @Override
  public CompletionStage<@Nullable Void> exceptionally(
      Function<Throwable, ? extends @Nullable Void> fn) {
    return derive(source -> source.exceptionally(fn));
  }

  @Override
  public String toString() {
    return "stage of " + semaphore + "@" + wanted;
  }
}
