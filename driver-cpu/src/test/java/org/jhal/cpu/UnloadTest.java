// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jhal.cpu.compile.HostCompiler;
import org.jhal.simulator.kit.ProbeJvm;
import org.jhal.simulator.kit.UnloadProbe;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An application server that has JHAL and its drivers unloads an application that has closed its
 * devices. In processes of their own, since the first use of a library starts threads.
 */
@Timeout(120)
class UnloadTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"mock", "cpu://?cache=off", "cpu://?compiler=none"})
  void anApplicationIsUnloaded(String uri) throws Exception {
    assumeTrue(uri.equals("mock") || HostCompiler.find().isPresent(), HostCompiler.absence());
    ProbeJvm probe = new ProbeJvm(folder, Map.of(), Map.of(), UnloadProbe.class, uri);
    assertEquals(List.of("unloaded"), probe.lines());
  }
}
