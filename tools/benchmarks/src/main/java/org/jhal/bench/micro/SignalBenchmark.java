// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.micro;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jhal.TimelineSemaphore;
import org.jhal.TimepointCallback;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** A signal that releases callbacks, which were registered before and are not measured. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 8, time = 1)
@SuppressWarnings("NullAway.Init") // JMH calls begin() first
public class SignalBenchmark {
  private static final int SIGNALS = 256; // enough work for JMH's clock around an invocation

  /** How many callbacks wait for each value. */
  @Param({"0", "1", "16", "256"})
  public int waiters;

  private TimelineSemaphore semaphore;
  private CompletableFuture<?>[] futures;
  private long released;

  /** Registers the waiters. */
  @Setup(Level.Invocation)
  public void begin(OpenDevice open) {
    semaphore = open.device.createSemaphore(0);
    TimepointCallback callback = failure -> released++;
    futures = new CompletableFuture<?>[SIGNALS];
    for (int i = 0; i < SIGNALS; i++) {
      futures[i] = new CompletableFuture<>();
      for (int j = 0; j < waiters; j++) {
        semaphore.onReach(i + 1, callback);
        CompletableFuture<?> unused = futures[i].thenRun(() -> released++);
      }
    }
  }

  /** Lets go of the semaphore, and of the waiters where the baseline was measured. */
  @TearDown(Level.Invocation)
  public void end() {
    semaphore.close();
  }

  /** Signals each value in turn. */
  @Benchmark
  @OperationsPerInvocation(SIGNALS)
  public long signal() {
    for (int i = 1; i <= SIGNALS; i++) {
      semaphore.signal(i);
    }
    return released;
  }

  /** Completes a future for each value. */
  @Benchmark
  @OperationsPerInvocation(SIGNALS)
  public long baselineComplete() {
    for (CompletableFuture<?> future : futures) {
      future.complete(null);
    }
    return released;
  }
}
