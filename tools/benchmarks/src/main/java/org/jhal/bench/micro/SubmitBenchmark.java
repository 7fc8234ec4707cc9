// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.micro;

import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jhal.BufferParams;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A submission in steady state: {@value #WINDOW} are in flight, and the host waits for the oldest.
 * With {@code -prof gc}, 24 bytes are the timepoint of each submission.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 8, time = 1)
public class SubmitBenchmark {
  static final int WINDOW = 256;

  private static final int BYTES = 64;
  private static final Duration DEADLINE = Duration.ofMinutes(1);
  private static final FillPattern PATTERN = FillPattern.of32(7);

  /** What is submitted to a queue. */
  @State(Scope.Thread)
  @SuppressWarnings("NullAway.Init") // JMH calls begin() first
  public static class Submissions {
    DeviceQueue queue;
    DeviceBuffer buffer;
    private TimelineSemaphore done;
    private long last;

    /** Begins a timeline. */
    @Setup(Level.Iteration)
    public void begin(OpenDevice open) {
      queue = open.device.queue(0);
      buffer = open.device.allocate(BYTES, BufferParams.DEVICE);
      done = open.device.createSemaphore(0);
      last = 0;
    }

    /** Waits for the last submission. */
    @TearDown(Level.Iteration)
    public void end() throws InterruptedException {
      done.await(last, DEADLINE);
      done.close();
      buffer.close();
    }

    Timepoint latest() {
      return done.at(last);
    }

    Timepoint next() {
      return done.at(++last);
    }

    void awaitOldest() throws InterruptedException {
      if (last > WINDOW) {
        done.await(last - WINDOW, DEADLINE);
      }
    }
  }

  /** A barrier. */
  @Benchmark
  public void barrier(Submissions submissions) throws InterruptedException {
    submissions.queue.barrier(Fence.NONE, submissions.next());
    submissions.awaitOldest();
  }

  /** A barrier that waits for the one before it. */
  @Benchmark
  public void barrierInChain(Submissions submissions) throws InterruptedException {
    Timepoint before = submissions.latest();
    submissions.queue.barrier(before, submissions.next());
    submissions.awaitOldest();
  }

  /** A fill of a few bytes. */
  @Benchmark
  public void fill(Submissions submissions) throws InterruptedException {
    submissions.queue.fill(Fence.NONE, submissions.next(), submissions.buffer, 0, BYTES, PATTERN);
    submissions.awaitOldest();
  }

  /** What is given to a thread. */
  @State(Scope.Thread)
  @SuppressWarnings("NullAway.Init") // JMH calls begin() first
  public static class Tasks {
    private final AtomicLong executed = new AtomicLong();
    private final Runnable step = executed::incrementAndGet;
    private ThreadPoolExecutor executor;
    private long last;

    /** Starts the thread. */
    @Setup(Level.Iteration)
    public void begin() {
      executor = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
      executed.set(0);
      last = 0;
    }

    /** Ends it. */
    @TearDown(Level.Iteration)
    public void end() {
      executor.shutdown();
    }
  }

  /** A task that was made before, given to a thread; the host polls for the oldest one. */
  @Benchmark
  public void baselineExecute(Tasks tasks) {
    tasks.executor.execute(tasks.step);
    tasks.last++;
    while (tasks.executed.get() < tasks.last - WINDOW) {
      Thread.onSpinWait();
    }
  }
}
