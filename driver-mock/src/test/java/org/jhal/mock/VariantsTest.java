// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import static org.jhal.cts.support.TestData.assertHal;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.spi.ToolProvider;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.Hal;
import org.jhal.HostMemory;
import org.jhal.Parameter;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.kernel.Ints;
import org.jhal.kernel.Workgroup;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Overlays, which add variants to a bundle from outside. */
class VariantsTest {
  private static final String JAVA = variant("java", "class", Extra.class.getName());

  /** A bundle that no device loads. */
  private static final ExecutableSource BUNDLE =
      ExecutableSource.builder("the bundle")
          .kernel("one", 1, Parameter.out("x", ElementType.I32))
          .variant("no-such-format", "code")
          .build();

  @TempDir private Path folder;
  private Device device;

  /** The kernel in a format that the mock loads. */
  public static final class Extra {
    private Extra() {}

    /** Writes 1. */
    public static void one(Workgroup group, Ints x) {
      x.set(0, 1);
    }
  }

  @BeforeEach
  void open() {
    device = Hal.openDevice("mock");
  }

  @AfterEach
  void close() {
    device.close();
  }

  private static String variant(String format, String key, String value) {
    return "{\"format\": \"" + format + "\", \"" + key + "\": \"" + value + "\"}";
  }

  private Path overlay(String inside, String bundle, String variants) throws IOException {
    return manifest(
        inside,
        "{\"version\": 1, \"bundle\": \"" + bundle + "\", \"variants\": [" + variants + "]}");
  }

  private Path manifest(String inside, String text) throws IOException {
    Path made = Files.createDirectories(folder.resolve(inside));
    Files.writeString(made.resolve("manifest.json"), text);
    return made;
  }

  private void refused(Status status, Path overlay, String... parts) {
    assertHal(status, () -> device.loadExecutable(BUNDLE.withVariants(overlay)), parts);
  }

  /** Its reader is to run it elsewhere, and not to write it again in Java. */
  @Test
  void theRefusalOfABundleInCppSaysWhatToDo() {
    ExecutableSource source =
        ExecutableSource.builder("cpp").kernel("k", 1).cpp("__global__ void k() {}").build();
    assertHal(
        Status.UNIMPLEMENTED,
        () -> device.loadExecutable(source),
        "mock-0 can load no variant of bundle cpp: gpu-c++: mock-0 runs kernels in Java only;",
        "the device 'cpu' runs those in C++",
        "waits for a timeline that the program signals",
        "throws in a host call");
  }

  @Test
  void loadsAVariantOfAnOverlay() throws IOException {
    assertHal(
        Status.UNIMPLEMENTED, () -> device.loadExecutable(BUNDLE), "no-such-format: mock-0 loads");
    Path overlay = overlay("o", "the bundle", variant("other", "file", "f") + ", " + JAVA);
    ExecutableSource varied = BUNDLE.withVariants(overlay);
    assertEquals(BUNDLE.name(), varied.name());
    assertEquals(
        List.of(overlay.toString()), varied.overlays().stream().map(Object::toString).toList());
    try (Executable loaded = device.loadExecutable(varied)) {
      assertEquals("java", loaded.format());
      assertEquals("one", loaded.kernel(0).name());
      assertTrue(loaded.refusals().get(0).startsWith("other: "), loaded.refusals()::toString);
    }
    device.loadExecutable(BUNDLE.withVariants(folder)).close(); // a folder of overlays
  }

  @Test
  void variantsOfAnOverlayPrecedeThoseOfTheBundle() throws IOException {
    ExecutableSource own =
        ExecutableSource.builder("own").kernel("one", 1).java("one", group -> {}).build();
    overlay("b/a", "own", variant("java", "class", "org.missing.A"));
    overlay("b/b", "own", variant("java", "class", "org.missing.B"));
    Path first = overlay("c", "own", variant("java", "class", "org.missing.C"));
    ExecutableSource under = own.withVariants(folder.resolve("b"));
    assertHal(Status.NOT_FOUND, () -> device.loadExecutable(under), "org.missing.A");
    assertHal(
        Status.NOT_FOUND, () -> device.loadExecutable(under.withVariants(first)), "org.missing.C");
    device.loadExecutable(own).close();
  }

  @Test
  void anOverlayReadsItsOwnFilesFirstThenThoseOfTheBundle() throws IOException {
    Path overlay = overlay("o", "the bundle", JAVA);
    Files.writeString(overlay.resolve("mine"), "mine");
    ExecutableSource above = BUNDLE.withVariants(overlay).overlays().get(0);
    assertEquals("mine", text(above, "mine"));
    assertEquals("code", text(above, "code.no-such-format"));
    assertEquals(Files.readString(overlay.resolve("manifest.json")), text(above, "manifest.json"));
    Files.delete(overlay.resolve("manifest.json"));
    assertEquals(null, above.read("manifest.json"), "not that of the bundle");
    assertHal(Status.INVALID_ARGUMENT, () -> above.read("../x"));
  }

  /** The bundle's class loader also finds a class of this name. */
  private static String text(ExecutableSource source, String file) {
    return new String(source.read(file), StandardCharsets.UTF_8);
  }

  @Test
  void aClassOfTheOverlayPrecedesThatOfTheBundle() throws Exception {
    Path overlay = overlay("o", "the bundle", JAVA);
    Path source = folder.resolve("VariantsTest.java");
    Files.writeString(
        source,
        """
        package org.jhal.mock;
        import org.jhal.kernel.*;
        public class VariantsTest {
          public static class Extra {
            public static void one(Workgroup group, Ints x) { x.set(0, Two.VALUE); }
          }
          static class Two { static final int VALUE = Integer.parseInt("2"); }
        }
        """);
    Path api = Path.of(Workgroup.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    StringWriter log = new StringWriter();
    assertEquals(
        0,
        ToolProvider.findFirst("javac")
            .orElseThrow()
            .run(
                new PrintWriter(log),
                new PrintWriter(log),
                "-cp",
                api.toString(),
                "-d",
                overlay.toString(),
                source.toString()),
        log::toString);
    assertEquals(2, run(BUNDLE.withVariants(overlay)));
    assertEquals(1, run(BUNDLE.withVariants(overlay("p", "the bundle", JAVA))), "it has no class");
  }

  /** The number that the kernel writes. */
  private int run(ExecutableSource source) {
    try (Executable loaded = device.loadExecutable(source);
        TimelineSemaphore done = device.createSemaphore();
        DeviceBuffer x = device.allocate(4, BufferParams.DEVICE)) {
      int[] read = new int[1];
      DeviceQueue queue = device.queue(0);
      queue.dispatch(Fence.NONE, done.at(1), loaded.kernel("one"), Workgroups.of(1), Args.of(x));
      queue.readback(done.at(1), done.at(2), x, 0, HostMemory.of(read));
      done.await(2, Duration.ofSeconds(20));
      return read[0];
    } catch (InterruptedException e) {
      throw new AssertionError("unexpected interrupt", e);
    }
  }

  @Test
  void skipsAnOverlayForAnotherBundle() throws IOException {
    Path other = overlay("o", "another", variant("java", "class", "org.missing.A"));
    refused(Status.UNIMPLEMENTED, other, "it is not for the bundle 'the bundle'", "no-such-format");
    Path malformed = manifest("p", "{\"bundle\": \"another\", \"version\": 7, \"x\": 1}");
    refused(Status.UNIMPLEMENTED, malformed, "it is not for the bundle 'the bundle'");
  }

  /** The malformed one is found whichever overlay is tried first. */
  @Test
  void refusesAMalformedOverlayEvenIfAnotherOneLoads() throws IOException {
    overlay("b/a", "the bundle", JAVA);
    overlay("b/b", "the bundle", "{}");
    refused(Status.INVALID_ARGUMENT, folder.resolve("b"), "variants[0]", "format");
  }

  @Test
  void reportsAnOverlayWithoutALoadableVariant() throws IOException {
    Path useless = overlay("o", "own", variant("other", "file", "f"));
    ExecutableSource own =
        ExecutableSource.builder("own").kernel("one", 1).java("one", group -> {}).build();
    try (Executable loaded = device.loadExecutable(own.withVariants(useless))) {
      assertEquals(
          useless + ": mock-0 loads none of its variants",
          loaded.refusals().get(loaded.refusals().size() - 1));
    }
  }

  @Test
  void refusesFoldersThatAreNoOverlays() throws IOException {
    Path empty = Files.createDirectories(folder.resolve("empty"));
    refused(Status.NOT_FOUND, empty, "no variants in " + empty);
    refused(Status.NOT_FOUND, folder.resolve("gone"), "no variants in");
    refused(Status.INVALID_ARGUMENT, manifest("a", "{"), "overlay ", "ends too early");
    refused(Status.INVALID_ARGUMENT, manifest("b", "{\"version\": 2}"), "version");
    refused(Status.INVALID_ARGUMENT, manifest("c", "{\"version\": 1}"), "bundle");
    refused(
        Status.INVALID_ARGUMENT,
        manifest("d", "{\"version\": 1, \"name\": \"n\", \"kernels\": [], \"variants\": []}"),
        "is that of a bundle with kernels of its own, not of an overlay");
    Path alone = overlay("alone", "the bundle", JAVA);
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> device.loadExecutable(ExecutableSource.of(alone)),
        alone.toString(),
        "is that of an overlay, which has no kernels",
        "--variants");
    refused(Status.INVALID_ARGUMENT, overlay("e", "the bundle", ""), "variants is empty");
    refused(
        Status.INVALID_ARGUMENT,
        overlay(
            "f",
            "the bundle",
            "{\"format\": \"x\", \"file\": \"f\", \"entries\": {\"two\": \"2\"}}"),
        "'two'");
    refused(
        Status.INVALID_ARGUMENT,
        overlay("g", "the bundle", variant("java", "file", "f")),
        "variants[0]");
    refused(Status.UNIMPLEMENTED, overlay("h", "the bundle", variant("x", "file", "f")), "x: ");
  }
}
