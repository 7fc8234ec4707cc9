// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jhal.simulator.fixture.SimulatedGpu;
import org.jhal.simulator.kit.ProbeJvm;
import org.jhal.simulator.kit.UnloadProbe;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * An application server that has JHAL and its drivers unloads an application that has closed its
 * devices. In a process of its own, since the first use of a library starts threads.
 */
@Timeout(120)
class GpuUnloadTest {
  private final SimulatedGpu gpu = SimulatedGpu.ofProcess();

  @TempDir private Path folder;

  @Test
  void anApplicationIsUnloaded() throws Exception {
    String uri = gpu.driver().name() + "://0";
    ProbeJvm probe = new ProbeJvm(folder, Map.of(), Map.of(), UnloadProbe.class, uri);
    assertEquals(List.of("unloaded"), probe.lines());
  }
}
