// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Hal;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.Sequence;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The kernel of the example, without Spark. */
@Timeout(60)
class PiKernelsTest {
  /** The JDK draws the same points. */
  @Test
  void countsThePointsOfTheJdksSplittableRandom() {
    int draws = 1000;
    SplittableRandom points = new SplittableRandom(0); // SplitMix64, with the same increment
    for (int stream = 0; stream < 3; stream++) {
      int inside = 0;
      for (int draw = 0; draw < draws; draw++) {
        long point = points.nextLong();
        long x = point >>> 33;
        long y = point & 0x7FFFFFFFL;
        inside += x * x + y * y < 1L << 62 ? 1 : 0;
      }
      assertEquals(inside, PiKernels.hits(stream, draws), "stream " + stream);
    }
  }

  @Test
  void theBundleComputesTheSameAsThePlainMethod() throws InterruptedException {
    long[] streams = LongStream.range(1_000_000, 1_000_300).toArray();
    int[] hits = new int[streams.length];
    try (Device device = Hal.openDevice("mock");
        Executable kernels =
            device.loadExecutable(ExecutableSource.ofResources(Pi.class, "kernels"));
        DeviceBuffer in = device.allocate(8L * streams.length, BufferParams.DEVICE);
        DeviceBuffer out = device.allocate(4L * hits.length, BufferParams.DEVICE);
        Sequence steps = device.createSequence()) {
      DeviceQueue queue = device.queue(0);
      Kernel kernel = kernels.kernel("hits");
      Args args = Args.of(streams.length, 16, in, out);
      steps.step((waits, signals) -> queue.upload(waits, signals, HostMemory.of(streams), in, 0));
      steps.step(
          (waits, signals) ->
              queue.dispatch(waits, signals, kernel, kernel.covering(streams.length), args));
      steps.step((waits, signals) -> queue.readback(waits, signals, out, 0, HostMemory.of(hits)));
      steps.await(Duration.ofSeconds(30));
    }
    for (int i = 0; i < hits.length; i++) {
      assertEquals(PiKernels.hits(streams[i], 16), hits[i], "stream " + streams[i]);
    }
  }
}
