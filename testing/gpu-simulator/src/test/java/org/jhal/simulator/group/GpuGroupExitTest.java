// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.group;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jhal.simulator.SimulatedLibrary;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.jhal.simulator.fixture.SimulatedGpu;
import org.jhal.simulator.kit.ProbeJvm;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A process that ends while a group of it cannot go on, or is made or freed. If it ended during an
 * abort or another such call, threads of the vendors' libraries would crash; the simulated library
 * then makes the process fail.
 */
@Timeout(240)
@Tag("long")
class GpuGroupExitTest {
  private final SimulatedGpu gpu = SimulatedGpu.ofProcess();

  @TempDir Path folder;

  /** What the program closes, which begins the abort; or the exit closes the devices. */
  @ParameterizedTest
  @ValueSource(strings = {"group", "device", "nothing"})
  void theProcessEndsWhenTheAbortHasReturned(String closed) throws Exception {
    checkEnds(closed);
  }

  /** However long the {@code close-timeout} is: the exit waits for issued work for two seconds. */
  @Test
  void theProcessEndsAlthoughACollectiveWaitsForItsTurn() throws Exception {
    checkEnds("gate");
  }

  /** As a program does that ends beside one, or after its last group. */
  @ParameterizedTest
  @ValueSource(strings = {"making", "freeing"})
  void theProcessEndsWhenItsCommunicatorsAreMadeOrFreed(String going) throws Exception {
    checkEnds(going);
  }

  private void checkEnds(String how) throws Exception {
    SimulatedDevices.assumeThere(gpu);
    ProbeJvm jvm =
        new ProbeJvm(
            folder,
            Map.of("GPUSIM_DEVICES", "2", "GPUSIM_STRICT_EXIT", "1"),
            Map.of(
                gpu.collectivesProperty(),
                gpu.collectives(SimulatedLibrary.NEWEST_COLLECTIVES).path().toString()),
            ExitProbe.class,
            gpu.driver().name(),
            gpu.simulator().file().toString(),
            how);
    List<String> lines = jvm.lines(); // and its exit code is 0
    assertTrue(lines.toString().contains("the end of main"), lines::toString);
  }
}
