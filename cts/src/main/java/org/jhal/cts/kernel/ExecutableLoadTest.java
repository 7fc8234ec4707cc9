// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.kernel;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.jhal.Args;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.Fence;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bundles that a device can load, and ones that it cannot. */
@CtsSuite
class ExecutableLoadTest {
  private static final String UNKNOWN = "no-such-format";

  /** A manifest with one kernel and these variants. */
  private static String manifest(String variants) {
    return """
        {"version": 1, "name": "made for a test",
         "kernels": [{"name": "f", "parameters": [], "workgroupSize": [1]}],
         "variants": [%s]}
        """
        .formatted(variants);
  }

  /** Checks that a bundle is rejected and nothing of it stays loaded. */
  private static void assertRefused(Cts cts, Status status, BundleFolder bundle, String... parts) {
    long before = cts.device().statistics().executables();
    assertHal(status, () -> cts.device().loadExecutable(bundle.source()), parts);
    assertEquals(before, cts.device().statistics().executables(), "executables");
  }

  @Test
  @Rule("M8")
  void unknownFormatsAreRejected(Cts cts) {
    assertFalse(cts.device().executableFormats().contains(UNKNOWN));
    assertFalse(cts.device().executableFormats().isEmpty(), "no format at all");
    String first = "{\"format\": \"" + UNKNOWN + "\", \"file\": \"f.bin\"}";
    String second = "{\"format\": \"another-one\", \"file\": \"f.bin\"}";
    BundleFolder bundle = BundleFolder.of(cts, manifest(first + ", " + second));
    assertRefused(
        cts, Status.UNIMPLEMENTED, bundle, bundle.source().name(), UNKNOWN + ": ", "another-one: ");
  }

  @Test
  @Rule("M8")
  void theFirstLoadableVariantIsUsed(Cts cts) {
    BundleFolder bundle =
        BundleFolder.kernels(
            cts,
            manifest ->
                manifest.replaceFirst(
                    "\"variants\"\\s*:\\s*\\[",
                    "\"variants\": [{\"format\": \"" + UNKNOWN + "\", \"file\": \"f.bin\"},"));
    Executable kernels = cts.closing(cts.device().loadExecutable(bundle.source()));
    assertTrue(cts.device().executableFormats().contains(kernels.format()));
    if (bundle.source().overlays().isEmpty()) { // overlay variants come before those of the bundle
      List<String> refusals = kernels.refusals();
      assertTrue(refusals.get(0).startsWith(UNKNOWN + ": "), refusals::toString);
    }
    DeviceBuffer x = cts.buffer(ints(1, 2, 3, 4));
    DeviceBuffer y = cts.buffer(16);
    TimelineSemaphore done = cts.semaphore();
    cts.queue()
        .dispatch(
            Fence.NONE, done.at(1), kernels.kernel("negate"), Workgroups.of(4), Args.of(x, y));
    awaitReached(done, 1);
    assertBytes(ints(-1, -2, -3, -4), cts.read(y), "negated");
  }

  @Test
  @Rule("M8")
  void withoutParametersBindingsComeBeforeConstants(Cts cts) {
    // The same kernel, declared by its bindings and constants instead of by its parameters.
    String declared =
        """
        {"name": "scale_and_offset",
         "bindings": [
           {"name": "in", "type": "i32", "direction": "in"},
           {"name": "out", "type": "i32", "direction": "out"}],
         "constants": [{"name": "factor", "type": "i32"}, {"name": "summand", "type": "i32"}],
         "workgroupSize": [1, 1, 1]}
        """;
    BundleFolder bundle =
        BundleFolder.kernels(
            cts, manifest -> BundleFolder.replaceKernel(manifest, "scale_and_offset", declared));
    Executable kernels = cts.closing(cts.device().loadExecutable(bundle.source()));
    Kernel kernel = kernels.kernel("scale_and_offset");
    assertEquals(
        List.of("in", "out", "factor", "summand"),
        kernel.parameters().stream().map(Parameter::name).toList());
    DeviceBuffer x = cts.buffer(ints(1, 2, 3, 4));
    DeviceBuffer y = cts.buffer(16);
    TimelineSemaphore done = cts.semaphore();
    cts.queue().dispatch(Fence.NONE, done.at(1), kernel, Workgroups.of(4), Args.of(x, y, 10, 5));
    awaitReached(done, 1);
    assertBytes(ints(15, 25, 35, 45), cts.read(y), "10x + 5");
  }

  @Test
  @Rule("M8")
  void aDeclaredKernelMissingFromTheCodeIsNotFound(Cts cts) {
    String added = "{\"name\": \"nobody_wrote_this\", \"parameters\": [], \"workgroupSize\": [1]},";
    BundleFolder bundle =
        BundleFolder.kernels(
            cts,
            manifest -> manifest.replaceFirst("\"kernels\"\\s*:\\s*\\[", "\"kernels\": [" + added));
    assertRefused(cts, Status.NOT_FOUND, bundle, "nobody_wrote_this");
  }

  @Test
  @Rule("M8")
  void missingCodeIsNotFound(Cts cts) {
    for (String format : cts.device().executableFormats()) {
      String what = format.equals("java") ? "\"class\": \"org.missing.C\"" : "\"file\": \"gone.x\"";
      BundleFolder bundle =
          BundleFolder.of(cts, manifest("{\"format\": \"" + format + "\", " + what + "}"));
      assertRefused(
          cts, Status.NOT_FOUND, bundle, format.equals("java") ? "org.missing.C" : "gone.x");
    }
  }

  @Test
  @Rule("M5")
  void aBundleWithoutAManifestIsNotFound(Cts cts) {
    BundleFolder empty = BundleFolder.of(cts, "");
    assertRefused(cts, Status.NOT_FOUND, empty, "manifest.json", empty.source().name());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[]",
        "{\"version\": 2, \"name\": \"n\", \"kernels\": [], \"variants\": []}",
        "{\"version\": 1, \"name\": \"n\", \"kernels\": [], \"variants\": []}",
        "{\"version\": 1, \"name\": \"n\", \"kernels\": 5, \"variants\": []}"
      })
  @Rule("M5")
  void aMalformedManifestIsRejected(String manifest, Cts cts) {
    BundleFolder bundle = BundleFolder.of(cts, manifest.isEmpty() ? " " : manifest);
    assertRefused(cts, Status.INVALID_ARGUMENT, bundle, "manifest.json", bundle.source().name());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"name\": \"f\", \"parameters\": [], \"workgroupSize\": [0]}",
        "{\"name\": \"f\", \"parameters\": [], \"workgroupSize\": [1, 1, 1, 1]}",
        "{\"name\": \"not a name\", \"parameters\": [], \"workgroupSize\": [1]}",
        "{\"name\": \"f\", \"workgroupSize\": [1]}",
        "{\"name\": \"f\", \"parameters\": [{\"name\": \"p\", \"kind\": \"buffer\","
            + " \"type\": \"f31\", \"direction\": \"in\"}], \"workgroupSize\": [1]}",
        "{\"name\": \"f\", \"parameters\": [{\"name\": \"p\", \"kind\": \"buffer\","
            + " \"type\": \"f32\"}], \"workgroupSize\": [1]}",
        "{\"name\": \"f\", \"parameters\": [], \"workgroupSize\": [1], \"unknown\": 1}"
      })
  @Rule({"M5", "M8"})
  void aMalformedKernelDeclarationIsRejectedWithItsIndex(String kernel, Cts cts) {
    String manifest =
        """
        {"version": 1, "name": "made for a test", "kernels": [%s],
         "variants": [{"format": "java", "class": "org.missing.C"}]}
        """
            .formatted(kernel);
    assertRefused(cts, Status.INVALID_ARGUMENT, BundleFolder.of(cts, manifest), "kernels[0]");
  }
}
