// SPDX-License-Identifier: Apache-2.0
package org.jhal.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jhal.Device;
import org.jhal.Executable;
import org.jhal.Hal;
import org.jhal.cpu.compile.HostCompiler;
import org.jhal.faults.Corpus.KernelFault;
import org.jhal.faults.Corpus.Launch;
import org.jhal.faults.Corpus.Line;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The entries say what the files hold, and the sound twins are right. No faulty kernel runs. */
class KernelsTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** A sample for every build: the others are tagged. */
  private static final Set<String> SAMPLE = Set.of("product-reload", "scale-half2");

  static List<KernelFault> all() {
    return Corpus.kernels();
  }

  static Stream<KernelFault> sample() {
    return all().stream().filter(fault -> SAMPLE.contains(fault.name()));
  }

  @Test
  void thereAreFortyAndTwentyMore() {
    long more =
        all().stream().filter(KernelFault::more).count()
            + Corpus.orders().stream().filter(Corpus.Order::more).count();
    assertEquals(20, more);
    assertEquals(60, all().size() + Corpus.orders().size());
    Set<String> names = new HashSet<>();
    all().forEach(fault -> assertTrue(names.add(fault.name()), fault.name()));
  }

  @ParameterizedTest
  @MethodSource("all")
  void theLinesOfTheEntryAreThoseOfTheFile(KernelFault fault) {
    assertTrue(!fault.where().isEmpty(), fault.name());
    for (Line line : fault.where()) {
      List<String> lines = fault.text(Twin.FAULTY, line.file()).lines().toList();
      assertEquals(line.text(), lines.get(line.line() - 1).strip(), fault.name());
    }
  }

  @ParameterizedTest
  @MethodSource("all")
  void theTwinsDifferInTheMistakeAlone(KernelFault fault) {
    String file = fault.where().get(0).file();
    String manifest = "manifest.json";
    assertEquals(
        fault.inManifest(), fault.text(Twin.FAULTY, file).equals(fault.text(Twin.SOUND, file)));
    if (fault.inManifest()) {
      assertNotEquals(fault.text(Twin.FAULTY, manifest), fault.text(Twin.SOUND, manifest));
    }
    assertTrue(differing(fault, file) <= 16, "lines that differ: " + differing(fault, file));
    assertTrue(differing(fault, manifest) <= 8, "lines that differ: " + differing(fault, manifest));
  }

  private static long differing(KernelFault fault, String file) {
    List<String> faulty = fault.text(Twin.FAULTY, file).lines().toList();
    List<String> sound = fault.text(Twin.SOUND, file).lines().toList();
    return faulty.stream().filter(line -> !sound.contains(line)).count()
        + sound.stream().filter(line -> !faulty.contains(line)).count();
  }

  @ParameterizedTest
  @MethodSource("sample")
  void aSampleOfSoundTwinsIsRight(KernelFault fault) throws InterruptedException {
    assertSoundIsRightAndFaultyCompiles(fault);
  }

  @Tag("long")
  @ParameterizedTest
  @MethodSource("all")
  void allSoundTwinsAreRight(KernelFault fault) throws InterruptedException {
    assertSoundIsRightAndFaultyCompiles(fault);
  }

  /** Skips a test on a machine without a compiler, where the device {@code cpu} may not open. */
  static void assumeCompiler() {
    assumeTrue(HostCompiler.find().isPresent(), HostCompiler.absence());
  }

  private static void assertSoundIsRightAndFaultyCompiles(KernelFault fault)
      throws InterruptedException {
    assumeCompiler();
    try (Device device = Hal.openDevice("cpu")) {
      try (Executable faulty = device.loadExecutable(fault.bundle(Twin.FAULTY))) {
        for (Launch launch : fault.run()) {
          faulty.kernel(launch.kernel());
        }
      }
      Map<String, double[]> results = KernelRun.run(device, fault, Twin.SOUND, LIMIT);
      References.of(fault).forEach((name, expected) -> compare(name, expected, results));
    }
  }

  private static void compare(String name, double[] expected, Map<String, double[]> results) {
    String prefix = "sorted:";
    boolean sorted = name.startsWith(prefix);
    String buffer = sorted ? name.substring(prefix.length()) : name;
    double[] actual = Objects.requireNonNull(results.get(buffer), buffer);
    if (sorted) {
      Arrays.sort(expected);
      Arrays.sort(actual);
    }
    assertEquals(expected.length, actual.length, buffer);
    for (int i = 0; i < expected.length; i++) {
      double tolerance = 1e-5 * Math.max(1, Math.abs(expected[i]));
      int element = i;
      assertEquals(expected[i], actual[i], tolerance, () -> buffer + "[" + element + "]");
    }
  }
}
