// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.micro;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import org.jhal.Device;
import org.jhal.DeviceQueue;
import org.jhal.TimelineSemaphore;
import org.jhal.engine.flightrecorder.FlightRecorder;
import org.jspecify.annotations.Nullable;
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

/**
 * The time that the events of the flight recorder add to a submission: a chain of barriers on a
 * device that does nothing, so that no other work hides it.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class EventsBenchmark {
  static final int STEPS = 1_000;

  private static final Duration DEADLINE = Duration.ofMinutes(1);

  /** What is recorded. */
  public enum Recorded {
    /** The recorder was never used in this JVM. */
    NEVER,
    /** It records, but nothing of JHAL. */
    NOTHING_OF_IT,
    /** The submission, the two timepoints and the operation. */
    ALL
  }

  /** The device, and what is recorded on it. */
  @State(Scope.Thread)
  @SuppressWarnings("NullAway.Init") // JMH sets the parameter and calls open() first
  public static class Chain {
    /** What is recorded. */
    @Param({"NEVER", "NOTHING_OF_IT", "ALL"})
    public Recorded recorded;

    Device device;
    DeviceQueue queue;
    private @Nullable Recording recording;

    /** Opens the device and starts the recording. */
    @Setup(Level.Trial)
    public void open() {
      device = NullBackend.open(0);
      queue = device.queue(0);
      if (recorded == Recorded.NEVER) {
        return;
      }
      Recording started = new Recording();
      if (recorded == Recorded.ALL) {
        for (String event : List.of("Submission", "TimelineEdge", "Operation")) {
          started.enable("org.jhal." + event);
        }
      }
      started.setMaxSize(1 << 26);
      started.start();
      recording = started;
    }

    /** Ends both. */
    @TearDown(Level.Trial)
    public void close() {
      if (recording != null) {
        recording.close();
      }
      device.close();
    }
  }

  /** A barrier that waits for the one before it. */
  @Benchmark
  @OperationsPerInvocation(STEPS)
  public void barrierInChain(Chain chain) throws InterruptedException {
    try (TimelineSemaphore done = chain.device.createSemaphore(0)) {
      for (int i = 0; i < STEPS; i++) {
        chain.queue.barrier(done.at(i), done.at(i + 1));
      }
      done.await(STEPS, DEADLINE);
    }
  }

  /** The checks that an operation makes while it is not recorded. */
  @Benchmark
  public boolean asks(Chain chain) {
    return FlightRecorder.recordsSubmissions()
        | FlightRecorder.recordsEdges()
        | FlightRecorder.recordsExecutions()
        | FlightRecorder.recordsOperations()
        | FlightRecorder.recordsTransfers();
  }
}
