// SPDX-License-Identifier: Apache-2.0
package org.jhal.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jhal.Device;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.faults.Corpus.KernelFault;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The device {@code cpu} finds the faults if it checks kernels, and says nothing of the twins. */
class CheckedKernelsTest {
  private static final Duration LIMIT = Duration.ofSeconds(120);

  /** A sample for every build: the others are tagged. */
  private static final Set<String> SAMPLE = Set.of("reduce-loop", "fir-left", "upsample-last");

  /** What is not found at one of its lines, and why. */
  private static final Map<String, String> MISSED =
      Map.of(
          "warp-guard", "a mask may name lanes that have ended (docs/kernels.md)",
          "shuffle-source", "only what follows from it is found, a race in the next line",
          "top-four", "arrays of a work item are not looked at");

  static List<KernelFault> all() {
    return Corpus.kernels();
  }

  static Stream<KernelFault> sample() {
    return all().stream().filter(fault -> SAMPLE.contains(fault.name()));
  }

  @Test
  void whatIsMissedIsInTheList() {
    List<String> names = all().stream().map(KernelFault::name).toList();
    assertTrue(names.containsAll(MISSED.keySet()), MISSED::toString);
  }

  @ParameterizedTest
  @MethodSource("sample")
  void aSampleIsFound(KernelFault fault) throws InterruptedException {
    assertFound(fault);
  }

  @Tag("long")
  @ParameterizedTest
  @MethodSource("all")
  void allAreFound(KernelFault fault) throws InterruptedException {
    assertFound(fault);
  }

  private static void assertFound(KernelFault fault) throws InterruptedException {
    KernelsTest.assumeCompiler();
    try (Device device = Hal.openDevice("cpu://?check=all&threads=1")) {
      KernelRun.run(device, fault, Twin.SOUND, LIMIT);
      boolean isAtItsLine = false;
      String said = "nothing is wrong";
      if (!MISSED.containsKey(fault.name())) {
        HalException found =
            assertThrows(
                HalException.class, () -> KernelRun.run(device, fault, Twin.FAULTY, LIMIT));
        assertEquals(Status.ABORTED, found.status(), found::toString);
        said = found.toString();
      } else {
        try {
          KernelRun.run(device, fault, Twin.FAULTY, LIMIT);
        } catch (HalException e) {
          said = e.toString();
        }
      }
      for (Corpus.Line line : fault.where()) {
        isAtItsLine |= said.contains(line.file() + ":" + line.line() + ":");
      }
      String report = said;
      assertEquals(!MISSED.containsKey(fault.name()), isAtItsLine, () -> report);
    }
  }
}
