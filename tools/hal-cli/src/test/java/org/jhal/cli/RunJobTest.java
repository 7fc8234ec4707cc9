// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.jhal.Device;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Hal;
import org.jhal.Kernel;
import org.jhal.cli.data.Shape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Transfers of data that is larger than the host memory that it goes through. */
@Timeout(120)
class RunJobTest extends RunFixture {
  @Test
  void transfersDataThroughSmallPieces() throws Exception {
    Path bundle = bundle(kernel("increment", buffer("data", "u8", "inout"), "'groups': [1]"));
    ExecutableSource source = ExecutableSource.of(bundle);
    Random random = new Random(60);
    // The mock reorders unordered work, so a missing wait shows.
    try (Device device = Hal.openDevice("mock://?seed=60");
        Executable executable = device.loadExecutable(source)) {
      Kernel kernel = executable.kernel("increment");
      for (int i = 0; i < 40; i++) {
        byte[] content = random(random.nextInt(500), i);
        int pieceBytes = 1 + random.nextInt(200);
        String what = content.length + " bytes in pieces of " + pieceBytes;
        Path in = array("in.bin", ElementType.U8, Shape.of(content.length), content);
        Path out = folder.resolve("out.bin");
        RunArguments arguments =
            RunArguments.parse(
                List.of("data=" + in), List.of("data=" + out), List.of(), null, false);
        try (RunPlan plan =
                RunPlan.of(
                    kernel,
                    RunHints.read(source, "increment"),
                    arguments,
                    device.info().maxWorkgroupCount(),
                    false);
            RunJob job =
                new RunJob(device, kernel, plan, Duration.ofSeconds(60), pieceBytes, false)) {
          RunJob.Times times = job.run(true, false);
          assertTrue(times.submit() <= times.device(), times::toString);
          assertTrue(times.device() <= times.total(), times::toString);
          job.run(false, true);
        }
        for (int k = 0; k < content.length; k++) {
          content[k]++;
        }
        assertArrayEquals(content, read(out), what);
      }
      // The last operations retire a moment after their signals.
      long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
      while (device.statistics().liveResources() != 1) {
        assertTrue(
            System.nanoTime() < deadline,
            () -> "waited 60 s for all but the executable to go: " + device.statistics());
        Thread.onSpinWait();
      }
    }
  }
}
