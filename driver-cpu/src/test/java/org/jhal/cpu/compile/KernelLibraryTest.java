// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.compile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.jhal.ElementType;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.Parameter;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.cpu.translate.Translator;
import org.jhal.kernels.bundle.KernelSpec;
import org.jhal.kernels.bundle.Manifest;
import org.jhal.kernels.bundle.Variant;
import org.jhal.kernels.source.SourceCode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What a library says about itself is read and checked before the system loads it. */
@NeedsCompiler
class KernelLibraryTest {
  private static final String WHAT = "the library";
  private static final CpuFeatures V3_MACHINE =
      CpuFeatures.of(
          "amd64", "flags : " + String.join(" ", Architecture.X86_64_V3.features()) + "\n");

  private static byte[] library;
  private static Manifest manifest;

  @BeforeAll
  static void compileOne() {
    ExecutableSource bundle =
        ExecutableSource.builder("one")
            .kernel("fill", Workgroups.of(8, 4), Parameter.out("data", ElementType.I32))
            .cpp("extern \"C\" __global__ void fill(int* data) { data[threadIdx.x] = 1; }")
            .build();
    manifest = Manifest.read(bundle);
    Variant variant = manifest.variants().get(0);
    String file = String.valueOf(variant.file());
    SourceCode code = SourceCode.read(bundle, file, variant.readFile(bundle), WHAT);
    Architecture own =
        CpuFeatures.machine().kind().equals("aarch64")
            ? Architecture.AARCH64
            : Architecture.X86_64_V3;
    library =
        new SourceCompiler(HostCompiler.find().orElseThrow(), null, own)
            .compile(code, variant, manifest.kernels(), List.of(), WHAT);
  }

  private static void refuses(Status status, Executable call, String... parts) {
    HalException failure = assertThrows(HalException.class, call);
    assertEquals(status, failure.status(), failure::toString);
    for (String part : parts) {
      assertTrue(String.valueOf(failure.getMessage()).contains(part), failure::toString);
    }
  }

  private static void unreadable(byte[] file, String... parts) {
    refuses(Status.INVALID_ARGUMENT, () -> KernelLibrary.read(file, WHAT), parts);
  }

  @Test
  void readsWhatTheCompilerWrote() {
    KernelLibrary read = KernelLibrary.read(library, WHAT);
    assertTrue(Architecture.labels().contains(read.architecture()), read::toString);
    assertEquals(KernelLibrary.ABI, read.abi());
    assertEquals(
        List.of(new KernelLibrary.Kernel("fill", new Workgroups(8, 4, 1))), read.kernels());
  }

  @Test
  void refusesFilesThatAreNoLibraries() {
    unreadable(new byte[0], WHAT, "not a 64-bit ELF file", "hal compile");
    unreadable(
        "no ELF file, though longer than a header is, which has 64 bytes"
            .getBytes(StandardCharsets.US_ASCII),
        "not a 64-bit ELF file");
    byte[] other = library.clone();
    for (int i = 0; i + 5 < other.length; i++) {
      if (Arrays.equals(
          Arrays.copyOfRange(other, i, i + 5), ".jhal".getBytes(StandardCharsets.US_ASCII))) {
        other[i + 1] = 'x';
      }
    }
    unreadable(other, "it does not describe itself");
  }

  /** A file that was cut off must not be mapped: touching what is missing kills the process. */
  @Test
  void refusesALibraryThatIsCutOff() {
    for (int length = 64; length < library.length; length += 97) {
      unreadable(Arrays.copyOf(library, length), "cut off");
    }
  }

  @Test
  void refusesADescriptionOfOtherCode() {
    byte[] other = library.clone();
    other[18] = (byte) 40; // ELF for 32-bit ARM
    unreadable(other, "machine 40");
  }

  @Test
  void refusesWhatAProcessorLacks() {
    KernelLibrary v4 = new KernelLibrary("x86_64-v4", KernelLibrary.ABI, List.of(), List.of());
    refuses(
        Status.UNIMPLEMENTED,
        () -> v4.check(V3_MACHINE, "x86_64-v4", WHAT),
        "was compiled for x86_64-v4",
        "lacks avx512f");
    KernelLibrary arm = new KernelLibrary("aarch64", KernelLibrary.ABI, List.of(), List.of());
    refuses(
        Status.UNIMPLEMENTED,
        () -> arm.check(V3_MACHINE, null, WHAT),
        "was compiled for aarch64; this x86_64 processor lacks aarch64");
    new KernelLibrary("x86_64-v3", KernelLibrary.ABI, List.of(), List.of())
        .check(V3_MACHINE, null, WHAT);
  }

  /** What the machine's compiler made for this very processor could be for any. */
  @Test
  void refusesCodeForAnUnnamedProcessor() {
    for (String name : List.of(KernelLibrary.NATIVE, "x86_64-v9", "")) {
      KernelLibrary unnamed = new KernelLibrary(name, KernelLibrary.ABI, List.of(), List.of());
      refuses(Status.UNIMPLEMENTED, () -> unnamed.check(V3_MACHINE, null, WHAT), "'" + name + "'");
    }
  }

  @Test
  void refusesAnotherVersionOfTheInterface() {
    KernelLibrary old = new KernelLibrary("x86_64-v3", 0, List.of(), List.of());
    refuses(Status.UNIMPLEMENTED, () -> old.check(V3_MACHINE, null, WHAT), "version 0");
  }

  @Test
  void refusesAnArchitectureThatTheManifestDoesNotDeclare() {
    KernelLibrary v3 = new KernelLibrary("x86_64-v3", KernelLibrary.ABI, List.of(), List.of());
    refuses(
        Status.INVALID_ARGUMENT,
        () -> v3.check(V3_MACHINE, "x86_64-v2", WHAT),
        "compiled for x86_64-v3; by the manifest it is for x86_64-v2");
  }

  @Test
  void findsKernelsByNameAndChecksTheirWorkgroups() {
    KernelLibrary read = KernelLibrary.read(library, WHAT);
    KernelSpec spec = manifest.kernels().get(0);
    assertEquals(0, read.index("fill", spec, WHAT));
    refuses(Status.NOT_FOUND, () -> read.index("other", spec, WHAT), "'other'", "[fill]");
    KernelSpec larger = new KernelSpec("fill", spec.parameters(), new Workgroups(8, 5, 1), 0);
    refuses(
        Status.INVALID_ARGUMENT,
        () -> read.index("fill", larger, WHAT),
        "compiled for workgroups of 8,4,1",
        "8,5,1");
  }

  /**
   * Libraries outlive the driver that made them. If this fails, the interface has changed: raise
   * HAL_ABI_VERSION unless only words have changed, and put the new hash here.
   */
  @Test
  void theVersionOfTheInterfaceChangesWithIt() throws Exception {
    String header;
    try (var in = Translator.class.getResourceAsStream("hal_abi.h")) {
      header = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    String code = header.replaceAll("//[^\\n]*", "").replaceAll("\\s+", " ");
    byte[] hash =
        MessageDigest.getInstance("SHA-256").digest(code.getBytes(StandardCharsets.UTF_8));
    assertEquals("161814fd54e79263", HexFormat.of().formatHex(hash, 0, 8));
  }
}
