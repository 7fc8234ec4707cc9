// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.micro;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jhal.TimelineSemaphore;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** A host wait for a value that is reached already. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 8, time = 1)
@SuppressWarnings("NullAway.Init") // JMH calls begin() first
public class WaitBenchmark {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final CompletableFuture<Boolean> completed = CompletableFuture.completedFuture(true);
  private TimelineSemaphore semaphore;

  /** Makes a semaphore. */
  @Setup
  public void begin(OpenDevice open) {
    semaphore = open.device.createSemaphore(5);
  }

  /** Lets go of it. */
  @TearDown
  public void end() {
    semaphore.close();
  }

  /** Without a deadline. */
  @Benchmark
  public void await() throws InterruptedException {
    semaphore.await(3);
  }

  /** With a deadline. */
  @Benchmark
  public void awaitWithTimeout() throws InterruptedException {
    semaphore.await(3, TIMEOUT);
  }

  /** A future that is completed already. */
  @Benchmark
  public boolean baselineGet() throws Exception {
    return completed.get();
  }
}
