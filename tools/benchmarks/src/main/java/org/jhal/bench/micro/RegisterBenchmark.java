// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.micro;

import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jhal.TimelineSemaphore;
import org.jhal.TimepointCallback;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** A callback that is registered and cancelled while others wait. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 8, time = 1)
@SuppressWarnings("NullAway.Init") // JMH calls begin() first
public class RegisterBenchmark {
  /** How many others wait, each for a value of its own. */
  @Param({"0", "1000", "100000"})
  public int others;

  private final TimepointCallback callback = failure -> {};
  private final TreeMap<Long, TimepointCallback> sorted = new TreeMap<>();
  private final ReentrantLock lock = new ReentrantLock();
  private TimelineSemaphore semaphore;
  private long next;

  /** Registers the others. */
  @Setup
  public void begin(OpenDevice open) {
    semaphore = open.device.createSemaphore(0);
    for (int i = 1; i <= others; i++) {
      semaphore.onReach(2L * i, callback);
      sorted.put(2L * i, callback);
    }
  }

  /** Releases them. */
  @TearDown
  public void end() {
    semaphore.close();
  }

  /** Registers a callback and cancels it. */
  @Benchmark
  public boolean registerAndCancel() {
    return semaphore.onReach(value(), callback).cancel();
  }

  /** The same with a sorted map under a lock. */
  @Benchmark
  public boolean baselineSortedMap() {
    Long value = value();
    lock.lock();
    try {
      sorted.put(value, callback);
    } finally {
      lock.unlock();
    }
    lock.lock();
    try {
      return sorted.remove(value) != null;
    } finally {
      lock.unlock();
    }
  }

  /** An odd value, somewhere among the others. */
  private long value() {
    next += 2654435761L; // spreads well
    return 1 + 2 * Math.floorMod(next, Math.max(1L, others));
  }
}
