// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.compile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jhal.HalException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is read from {@code /proc/cpuinfo}, and what a processor can therefore run. */
class CpuFeaturesTest {
  private static final String V2 = "fpu cx16 lahf_lm popcnt pni ssse3 sse4_1 sse4_2";
  private static final String V3 = V2 + " avx avx2 bmi1 bmi2 f16c fma abm movbe xsave";
  private static final String V4 = V3 + " avx512f avx512bw avx512cd avx512dq avx512vl";

  /** The text of an x86 processor; {@code more} is what changes all the time. */
  static String x86(String flags, String more) {
    return """
        processor\t: 0
        vendor_id\t: GenuineIntel
        cpu family\t: 6
        model\t\t: 85
        model name\t: A Processor @ 2.5GHz
        stepping\t: 7
        cpu MHz\t\t: %s
        flags\t\t: %s
        bogomips\t: 5000.00

        """
        .formatted(more, flags);
  }

  private static CpuFeatures read(String flags) {
    return CpuFeatures.of("amd64", x86(flags, "2500.000"));
  }

  @Test
  void findsTheHighestLevelOfX86() {
    assertEquals(Optional.empty(), read("fpu sse2").highest());
    assertEquals(Optional.of(Architecture.X86_64_V2), read(V2).highest());
    assertEquals(Optional.of(Architecture.X86_64_V3), read(V3).highest());
    assertEquals(Optional.of(Architecture.X86_64_V4), read(V4).highest());
    assertEquals("A Processor @ 2.5GHz", read(V3).name());
    assertEquals("x86_64", read(V3).kind());
  }

  @Test
  void reportsWhatALevelNeedsAndTheProcessorLacks() {
    assertEquals(List.of("fma"), read(V3.replace(" fma", "")).missing(Architecture.X86_64_V3));
    assertEquals(
        List.of("avx512cd"), read(V4.replace(" avx512cd", "")).missing(Architecture.X86_64_V4));
    assertEquals(List.of("aarch64"), read(V4).missing(Architecture.AARCH64));
  }

  @Test
  void readsAnArmProcessor() {
    CpuFeatures arm =
        CpuFeatures.of(
            "aarch64",
            """
            processor\t: 0
            BogoMIPS\t: 50.00
            Features\t: fp asimd evtstrm aes atomics fphp asimdhp
            CPU implementer\t: 0x41
            CPU architecture: 8
            CPU variant\t: 0x3
            CPU part\t: 0xd0c
            CPU revision\t: 1
            """);
    assertEquals(Optional.of(Architecture.AARCH64), arm.highest());
    assertEquals(List.of("x86_64"), arm.missing(Architecture.X86_64_V2));
    assertEquals("aarch64 processor", arm.name());
    assertTrue(arm.text().contains("CPU part: 0xd0c"), arm.text());
  }

  @Test
  void countsOnlyFeaturesOfAllProcessors() {
    CpuFeatures hybrid = CpuFeatures.of("amd64", x86(V4, "1") + x86(V3, "1"));
    assertEquals(Optional.of(Architecture.X86_64_V3), hybrid.highest());
    assertNotEquals(hybrid.text(), CpuFeatures.of("amd64", x86(V4, "1") + x86(V4, "1")).text());
  }

  @Test
  void identifiesAProcessorByWhatItCanDoAndNotByItsClock() {
    assertEquals(read(V3).text(), CpuFeatures.of("amd64", x86(V3, "1200.125")).text());
    assertNotEquals(read(V3).text(), read(V3 + " avx512f").text());
    assertNotEquals(
        read(V3).text(),
        CpuFeatures.of("amd64", x86(V3, "1").replace("model\t\t: 85", "model\t\t: 86")).text());
  }

  @Test
  void nothingIsKnownToFitWithoutAText() {
    CpuFeatures unknown = CpuFeatures.of("amd64", "");
    assertEquals(Optional.empty(), unknown.highest());
    assertEquals("x86_64 processor", unknown.name());
  }

  @Test
  void nothingIsKnownWithoutAFile(@TempDir Path folder) {
    assertFalse(CpuFeatures.read(folder.resolve("cpuinfo")).isKnown());
  }

  /** Whatever else keeps it from being read may pass, so it is no answer that is kept. */
  @Test
  void aFileThatCannotBeReadIsAFailure(@TempDir Path folder) {
    assertThrows(HalException.class, () -> CpuFeatures.read(folder));
  }

  @Test
  void readsThisMachine() {
    assertFalse(CpuFeatures.machine().text().isEmpty());
    assertFalse(CpuFeatures.machine().name().isEmpty());
  }
}
