// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Sequence;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.cpu.compile.Architecture;
import org.jhal.cpu.compile.CpuFeatures;
import org.jhal.cpu.compile.HostCompiler;
import org.jhal.cpu.compile.NeedsCompiler;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code hal compile} makes runs on a device without a compiler, and only where it may. */
@NeedsCompiler
class PrebuiltKernelsTest {
  private static final String WITHOUT_COMPILER = "cpu://?compiler=none&cache=off";
  private static final String WITH_COMPILER = "cpu://?cache=off";

  private static final String MANIFEST =
      """
      {
        "version": 1,
        "name": "doubling",
        "kernels": [{
          "name": "twice",
          "parameters": [
            {"name": "count", "kind": "constant", "type": "i32"},
            {"name": "data", "kind": "buffer", "type": "i32", "direction": "inout"}
          ],
          "workgroupSize": [%d]
        }],
        "variants": [{"format": "gpu-c++", "file": "doubling.cpp"%s}]
      }
      """;

  private static final String SOURCE =
      """
      extern "C" __global__ void twice(int count, int* data) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < count) data[i] = FACTOR * data[i];
      }
      """;

  @TempDir private Path folder;
  private Path bundle;
  private Path overlay;

  @BeforeEach
  void makeABundle() throws Exception {
    bundle = Files.createDirectory(folder.resolve("bundle"));
    overlay = folder.resolve("overlay");
    Files.writeString(
        bundle.resolve("manifest.json"),
        String.format(Locale.ROOT, MANIFEST, 64, ", \"options\": [\"-DFACTOR=2\"]"));
    Files.writeString(bundle.resolve("doubling.cpp"), SOURCE);
  }

  /** Compiles the bundle into the overlay. */
  private CompileTool.Options into(@Nullable Path target, Object... architectures) {
    return new CompileTool.Options(
        bundle, target, Stream.of(architectures).map(Object::toString).toList(), null);
  }

  /** Runs the command. Returns what it prints, the exit code first. */
  private static String compile(CompileTool.Options options) {
    StringWriter said = new StringWriter();
    PrintWriter writer = new PrintWriter(said);
    return CompileTool.run(options, writer, writer) + " " + said;
  }

  private static void succeeds(CompileTool.Options options) {
    String said = compile(options);
    assertTrue(said.startsWith("0 "), said);
  }

  private static void fails(int exitCode, String part, CompileTool.Options options) {
    String said = compile(options);
    assertTrue(said.startsWith(exitCode + " hal: ") && said.contains(part), said);
  }

  /** What this machine runs, and what it does not for sure. */
  private static Architecture own() {
    return CpuFeatures.machine().highest().orElseThrow();
  }

  private static String foreign() {
    return own() == Architecture.AARCH64 ? "x86_64-v3" : "aarch64";
  }

  private static void assertDoubles(Device device, Executable kernels) throws Exception {
    int[] data = {1, 2, 3, -4};
    try (DeviceBuffer buffer = device.allocate(16, BufferParams.DEVICE);
        Sequence steps = device.createSequence()) {
      var queue = device.queue(0);
      Args args = Args.of(4, buffer);
      steps.step((waits, signals) -> queue.upload(waits, signals, HostMemory.of(data), buffer, 0));
      steps.step(
          (waits, signals) ->
              queue.dispatch(waits, signals, kernels.kernel("twice"), Workgroups.of(1), args));
      steps.step(
          (waits, signals) -> queue.readback(waits, signals, buffer, 0, HostMemory.of(data)));
      steps.await(Duration.ofMinutes(1));
    }
    assertArrayEquals(new int[] {2, 4, 6, -8}, data);
  }

  private HalException refused(String device) {
    ExecutableSource source = ExecutableSource.of(bundle).withVariants(overlay);
    try (Device opened = Hal.openDevice(device)) {
      return assertThrows(HalException.class, () -> opened.loadExecutable(source).close());
    }
  }

  @Test
  void runsWithoutACompiler() throws Exception {
    succeeds(into(overlay, own()));
    try (Device device = Hal.openDevice(WITHOUT_COMPILER);
        Executable kernels =
            device.loadExecutable(ExecutableSource.of(bundle).withVariants(overlay))) {
      assertEquals("cpu-so", kernels.format());
      assertTrue(kernels.refusals().get(0).startsWith("gpu-c++: "), kernels.refusals()::toString);
      assertDoubles(device, kernels);
    }
  }

  @Test
  void takesTheNamedCompiler() {
    String compiler = HostCompiler.find().orElseThrow().toString();
    succeeds(new CompileTool.Options(bundle, overlay, List.of(own().label()), compiler));
    assertTrue(Files.exists(overlay.resolve("doubling." + own() + ".so")));
  }

  @Test
  void prefersTheCompilerOfTheMachine() throws Exception {
    succeeds(into(overlay, own()));
    try (Device device = Hal.openDevice(WITH_COMPILER);
        Executable kernels =
            device.loadExecutable(ExecutableSource.of(bundle).withVariants(overlay))) {
      assertEquals("gpu-c++", kernels.format());
      assertEquals(List.of(), kernels.refusals());
      assertDoubles(device, kernels);
    }
  }

  /** The lower level comes first in the manifest, and cannot be read. */
  @Test
  void takesTheHighestLevelFirst() throws Exception {
    assumeTrue(
        CpuFeatures.machine().missing(Architecture.X86_64_V3).isEmpty(),
        "this processor does not run two levels");
    succeeds(into(overlay, "x86_64-v3"));
    Path manifest = overlay.resolve("manifest.json");
    String lower =
        "\"variants\": [{\"format\": \"cpu-so\", \"file\": \"none\", \"architecture\":"
            + " \"x86_64-v2\"},";
    Files.writeString(
        manifest, Files.readString(manifest).replaceFirst("\"variants\": \\[", lower));
    try (Device device = Hal.openDevice(WITHOUT_COMPILER)) {
      device.loadExecutable(ExecutableSource.of(bundle).withVariants(overlay)).close();
    }
  }

  @Test
  void saysWhichThreeWaysThereAre() {
    try (Device device = Hal.openDevice(WITHOUT_COMPILER)) {
      HalException none =
          assertThrows(
              HalException.class, () -> device.loadExecutable(ExecutableSource.of(bundle)).close());
      assertEquals(Status.UNIMPLEMENTED, none.status());
      for (String way :
          List.of(
              "the option compiler is none (uri)", "cpu-so", "hal compile", "kernels in Java")) {
        assertTrue(String.valueOf(none.getMessage()).contains(way), none::toString);
      }
    }
  }

  @Test
  void listsTheFormatsThatItCanLoad() {
    try (Device with = Hal.openDevice(WITH_COMPILER);
        Device without = Hal.openDevice(WITHOUT_COMPILER)) {
      assertEquals(Set.of("gpu-c++", "cpu-so", "java"), with.executableFormats());
      assertEquals(Set.of("cpu-so", "java"), without.executableFormats());
    }
  }

  @Test
  void refusesCodeForAnotherProcessor() throws Exception {
    succeeds(into(overlay, own()));
    Path manifest = overlay.resolve("manifest.json");
    Files.writeString(manifest, Files.readString(manifest).replace(own().label(), foreign()));
    Files.move(
        overlay.resolve("doubling." + own() + ".so"),
        overlay.resolve("doubling." + foreign() + ".so"));
    HalException wrong = refused(WITHOUT_COMPILER);
    assertEquals(Status.INVALID_ARGUMENT, wrong.status());
    assertTrue(
        String.valueOf(wrong.getMessage())
            .contains("compiled for " + own() + "; by the manifest it is for " + foreign()),
        wrong::toString);
  }

  @Test
  void refusesWorkgroupsThatItWasNotCompiledFor() throws Exception {
    succeeds(into(overlay, own()));
    Files.writeString(
        bundle.resolve("manifest.json"), String.format(Locale.ROOT, MANIFEST, 32, ""));
    HalException wrong = refused(WITHOUT_COMPILER);
    assertEquals(Status.INVALID_ARGUMENT, wrong.status());
    assertTrue(
        String.valueOf(wrong.getMessage()).contains("compiled for workgroups of 64,1,1"),
        wrong::toString);
  }

  @Test
  void addsToABundle() throws Exception {
    succeeds(into(null, own()));
    succeeds(into(null, own())); // replaces what it added before
    String manifest = Files.readString(bundle.resolve("manifest.json"));
    assertEquals(2, manifest.split("\"format\"", -1).length - 1, manifest);
    assertTrue(manifest.indexOf("gpu-c++") < manifest.indexOf("cpu-so"), manifest);
    try (Device device = Hal.openDevice(WITHOUT_COMPILER);
        Executable kernels = device.loadExecutable(ExecutableSource.of(bundle))) {
      assertEquals("cpu-so", kernels.format());
      assertDoubles(device, kernels);
    }
  }

  /** One architecture is added to another, and a variant of another format stays. */
  @Test
  void keepsTheOtherVariantsOfAnOverlay() throws Exception {
    succeeds(into(overlay, own()));
    Path manifest = overlay.resolve("manifest.json");
    String foreignOnes =
        "\"variants\": [{\"format\": \"cuda-ptx\", \"file\": \"doubling.ptx\"}, {\"format\":"
            + " \"cpu-so\", \"file\": \"doubling.other.so\", \"architecture\": \""
            + foreign()
            + "\"},";
    Files.writeString(
        manifest, Files.readString(manifest).replaceFirst("\"variants\": \\[", foreignOnes));
    succeeds(into(overlay, own()));
    String written = Files.readString(manifest);
    for (String kept : List.of("doubling.ptx", "doubling.other.so", "doubling." + own() + ".so")) {
      assertEquals(2, written.split(kept, -1).length, () -> kept + " once in " + written);
    }
  }

  @Test
  void keepsTheLibrariesOfABundleForOtherProcessors() throws Exception {
    succeeds(into(null, own()));
    Path manifest = bundle.resolve("manifest.json");
    Files.writeString(manifest, Files.readString(manifest).replace(own().label(), foreign()));
    succeeds(into(null, own()));
    String written = Files.readString(manifest);
    for (String architecture : List.of(own().label(), foreign())) {
      assertTrue(written.contains("\"architecture\": \"" + architecture + "\""), written);
    }
  }

  /** The folder may be one in which others can make files, and they can guess these names. */
  @Test
  void followsNoLinkInPlaceOfAPart() throws Exception {
    Path file = Files.writeString(folder.resolve("precious"), "untouched");
    Files.createDirectory(overlay);
    for (String name : List.of("doubling." + own() + ".so", "manifest.json")) {
      String part = name + ".part" + ProcessHandle.current().pid();
      Files.createSymbolicLink(overlay.resolve(part), file);
    }
    succeeds(into(overlay, own()));
    assertEquals("untouched", Files.readString(file));
    assertTrue(Files.isRegularFile(overlay.resolve("manifest.json"), LinkOption.NOFOLLOW_LINKS));
  }

  /** A folder that is not empty has the name of the library. */
  @Test
  void leavesNoPartsBehindIfItCannotWrite() throws Exception {
    Files.createDirectories(overlay.resolve("doubling." + own() + ".so").resolve("in the way"));
    fails(1, "DATA_LOSS: cannot write", into(overlay, own()));
    try (Stream<Path> files = Files.list(overlay)) {
      assertEquals(
          List.of("doubling." + own() + ".so"),
          files.map(file -> file.getFileName().toString()).toList());
    }
  }

  @Test
  void writesNothingIfTheSourceIsWrong() throws Exception {
    Files.writeString(bundle.resolve("doubling.cpp"), SOURCE.replace("FACTOR", "nothing"));
    String said = compile(into(overlay));
    assertTrue(said.startsWith("2 hal: INVALID_ARGUMENT: cannot compile doubling.cpp"), said);
    assertTrue(said.contains("doubling.cpp:3:"), said); // the bundle's line
    assertFalse(Files.exists(overlay));
  }

  @Test
  void replacesOnlyAnOverlayOfTheSameBundle() throws Exception {
    succeeds(into(overlay));
    succeeds(into(overlay));
    fails(2, "not that of an overlay for the bundle 'doubling'", into(bundle));
    Files.writeString(
        overlay.resolve("manifest.json"), "{\"version\": 1, \"bundle\": \"x\", \"variants\": []}");
    fails(2, "not that of an overlay for the bundle 'doubling'", into(overlay));
  }

  @Test
  void refusesWrongUse() throws Exception {
    HalException unknown =
        assertThrows(HalException.class, () -> into(null, "x86-64-v3"), "an unknown architecture");
    assertEquals(Status.INVALID_ARGUMENT, unknown.status());
    assertEquals(
        "for has 'x86-64-v3'; known are " + String.join(", ", CompileTool.architectures()),
        unknown.getMessage());
    Path none = folder.resolve("none");
    fails(2, "no bundle at ", new CompileTool.Options(none, null, List.of(), null));
    fails(
        2,
        "is not a file that can be executed",
        new CompileTool.Options(bundle, null, List.of(), folder.toString()));
    Files.writeString(
        bundle.resolve("manifest.json"),
        String.format(Locale.ROOT, MANIFEST, 64, "")
            .replace("\"format\": \"gpu-c++\"", "\"format\": \"cuda-ptx\""));
    fails(2, "has no kernels in gpu-c++, but [cuda-ptx]", into(null));
  }

  @Test
  void saysWhichCrossCompilerIsMissing() {
    String said = compile(into(overlay, foreign()));
    if (HostCompiler.findFor(foreign().split("-", 2)[0]).isPresent()) {
      assertTrue(said.startsWith("0 "), said);
    } else {
      assertTrue(said.startsWith("3 hal: FAILED_PRECONDITION: there is no C++ compiler for"), said);
      assertTrue(said.contains("-linux-gnu-g++); --compiler names one"), said);
      assertFalse(Files.exists(overlay));
    }
  }

  @Test
  void refusesACompilerThatIsNone() {
    HalException wrong =
        assertThrows(HalException.class, () -> Hal.openDevice("cpu://?compiler=" + folder).close());
    assertEquals(Status.INVALID_ARGUMENT, wrong.status());
    wrong = assertThrows(HalException.class, () -> Hal.openDevice("cpu://?compiler=no++").close());
    assertEquals(
        "the compiler 'no++' is not a file that can be executed, nor the name of one on the PATH",
        wrong.getMessage());
  }

  @Test
  void findsACompilerByItsName() {
    Path file = Path.of(HostCompiler.find().orElseThrow().toString());
    try (Device device = Hal.openDevice("cpu://?compiler=" + file.getFileName())) {
      assertEquals(file.toString(), device.info().properties().get("compiler"));
    }
  }

  /** What {@code hal devices} says about the driver. */
  @Test
  void theProbeReadsTheOption() {
    String property = "jhal.cpu.compiler";
    assertTrue(new CpuDriver().probe().detail().startsWith("kernels are compiled by "));
    try {
      System.setProperty(property, "none");
      assertEquals(
          "the option compiler is none (property jhal.cpu.compiler), so only prebuilt kernels and"
              + " kernels in Java run",
          new CpuDriver().probe().detail());
      System.setProperty(property, "no++");
      assertTrue(new CpuDriver().probe().detail().startsWith("the compiler 'no++' is not a file"));
    } finally {
      System.clearProperty(property);
    }
  }

  @Test
  void refusesOptionsThatCouldRunPrograms() throws Exception {
    Files.writeString(
        bundle.resolve("manifest.json"),
        String.format(Locale.ROOT, MANIFEST, 64, ", \"options\": [\"-fplugin=x.so\"]"));
    try (Device device = Hal.openDevice(WITH_COMPILER)) {
      HalException wrong =
          assertThrows(
              HalException.class, () -> device.loadExecutable(ExecutableSource.of(bundle)).close());
      assertEquals(Status.INVALID_ARGUMENT, wrong.status());
      assertTrue(
          String.valueOf(wrong.getMessage()).contains("option '-fplugin=x.so' is not allowed"),
          wrong::toString);
    }
  }
}
