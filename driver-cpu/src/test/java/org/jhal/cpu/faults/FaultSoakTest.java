// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jhal.cpu.compile.NeedsCompiler;
import org.jhal.simulator.SimulatedLibrary;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Signals of the JVM, of kernels and of the GPU simulator stay apart, whichever library was loaded
 * first.
 */
@NeedsCompiler
class FaultSoakTest {
  /** With these, compiled code that met a null pointer expects none when it is compiled again. */
  private static final List<String> OPTIMISTIC =
      List.of("-XX:PerMethodTrapLimit=1000000", "-XX:PerBytecodeTrapLimit=1000000");

  private static final Set<String> MET =
      Set.of("bus", "collection", "division", "kernel", "null pointer", "simulator", "stack");

  @TempDir private Path folder;

  @Test
  @Tag("long")
  void everySignalReachesItsHandler() throws Exception {
    soak(2, "before", OPTIMISTIC, Map.of());
  }

  @ParameterizedTest
  @Tag("long")
  @CsvSource({"before", "after"})
  void everySignalReachesItsHandlerForLonger(String simulator) throws Exception {
    soak(4, simulator, OPTIMISTIC, Map.of());
  }

  @ParameterizedTest
  @Tag("exhaustive")
  @CsvSource({"before, 4", "after, 4", "before, 1", "after, 1"})
  void everySignalReachesItsHandlerForAMinute(String simulator, int tier) throws Exception {
    List<String> options = tier == 4 ? OPTIMISTIC : List.of("-XX:TieredStopAtLevel=" + tier);
    soak(60, simulator, options, Map.of());
  }

  /** The JDK's library for programs with handlers of their own: the JVM's handler comes first. */
  @ParameterizedTest
  @Tag("long")
  @CsvSource({"before", "after"})
  void signalsArriveThroughLibjsig(String simulator) throws Exception {
    String library = Path.of(System.getProperty("java.home"), "lib", "libjsig.so").toString();
    soak(2, simulator, OPTIMISTIC, Map.of("LD_PRELOAD", library));
  }

  private void soak(
      int seconds, String simulator, List<String> options, Map<String, String> variables)
      throws Exception {
    Path library =
        SimulatedLibrary.driver(
                "libsimulator.so", FaultSoakTest.class, List.of("simulator_faults.c"), List.of())
            .path();
    ChildJvm.Ended ended =
        ChildJvm.run(
            folder,
            seconds + 180,
            options,
            variables,
            FaultSoak.class,
            String.valueOf(seconds),
            simulator,
            library.toString());
    assertEquals(0, ended.code(), ended::toString);
    Set<String> met = new TreeSet<>();
    for (String line : ended.output()) {
      met.add(line.substring(0, line.lastIndexOf(' ')));
    }
    assertTrue(met.containsAll(MET), ended::toString);
  }
}
