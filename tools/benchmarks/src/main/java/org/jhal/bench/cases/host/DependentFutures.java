// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.host;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jhal.bench.baselines.Baselines;
import org.jhal.bench.measure.Bench;
import org.jspecify.annotations.Nullable;

/**
 * {@link DependentWork} as stages of {@link CompletableFuture}s, which run on one thread, in order,
 * as a device's stream does: a stage for each submission, a future for each value.
 */
final class DependentFutures extends DependentWork {
  private final ExecutorService stream = Baselines.stream();
  private @Nullable CompletableFuture<?> @Nullable [] gates;
  private @Nullable CountDownLatch done;

  DependentFutures(Shape shape, int size, int repeats) {
    super(shape, size, repeats);
  }

  @Override
  public String name() {
    return "CompletableFuture";
  }

  @Override
  void begin() {
    gates = new CompletableFuture<?>[shape == Shape.ONE_BY_ONE ? size : 1];
    done = new CountDownLatch(size);
  }

  @Override
  void park() {
    Runnable step = Objects.requireNonNull(done)::countDown;
    @Nullable CompletableFuture<?>[] all = Objects.requireNonNull(gates);
    CompletableFuture<?> first = new CompletableFuture<>();
    all[0] = first;
    CompletableFuture<?> last = first.thenRunAsync(step, stream);
    for (int i = 1; i < size; i++) {
      switch (shape) {
        case ONE_BY_ONE -> {
          CompletableFuture<?> gate = new CompletableFuture<>();
          all[i] = gate;
          last = gate.thenRunAsync(step, stream);
        }
        case ALL_AT_ONCE -> last = first.thenRunAsync(step, stream);
        case CHAIN -> last = last.thenRunAsync(step, stream);
      }
    }
  }

  @Override
  void release() throws InterruptedException, TimeoutException {
    for (CompletableFuture<?> gate : Objects.requireNonNull(gates)) {
      Objects.requireNonNull(gate).complete(null);
    }
    if (!Objects.requireNonNull(done).await(Bench.DEADLINE.toSeconds(), TimeUnit.SECONDS)) {
      throw new TimeoutException("the stages of futures are not done after " + Bench.DEADLINE);
    }
  }

  @Override
  void end() {
    gates = null;
    done = null;
  }

  @Override
  public void close() {
    stream.shutdownNow();
  }
}
