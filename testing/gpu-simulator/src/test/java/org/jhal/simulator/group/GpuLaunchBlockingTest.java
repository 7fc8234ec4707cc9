// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.jhal.simulator.fixture.SimulatedGpu;
import org.jhal.simulator.kit.ProbeJvm;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Groups in a process with a variable that makes each launch wait for its kernel. */
@Timeout(240)
class GpuLaunchBlockingTest {
  private final SimulatedGpu gpu = SimulatedGpu.ofProcess();
  private final List<String> variables = gpu.blockingVariables();

  @TempDir Path folder;

  /** The forms of a group of two devices, and of one, where all variables but one are 0. */
  private List<String> forms(String variable, String value) throws Exception {
    SimulatedDevices.assumeThere(gpu);
    Map<String, String> environment = new HashMap<>(Map.of("GPUSIM_DEVICES", "2"));
    variables.forEach(each -> environment.put(each, "0"));
    environment.put(variable, value);
    ProbeJvm jvm =
        new ProbeJvm(folder, environment, Map.of(), FormProbe.class, gpu.driver().name());
    return jvm.lines();
  }

  private static void assertForm(String beginning, String part, String line) {
    assertTrue(line.startsWith(beginning) && line.contains(part), line);
  }

  @Test
  @Tag("long")
  void eachVariableMakesGroupsOfSeveralDevicesUseTheHost() throws Exception {
    for (String variable : variables) {
      List<String> lines = forms(variable, "1");
      assertEquals(2, lines.size(), lines::toString);
      assertForm("two devices: host, ", variable + "=1", lines.get(0));
      assertForm("one device: native, ", "CCL", lines.get(1));
    }
  }

  @Test
  void usesTheLibraryWithoutTheVariables() throws Exception {
    List<String> lines = forms(variables.get(0), "0");
    assertEquals(2, lines.size(), lines::toString);
    assertForm("two devices: native, ", "CCL", lines.get(0));
  }
}
