// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import static org.jhal.cli.Outcome.hal;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The examples on a device that loads none of the formats that they are in. */
@Timeout(60)
class OtherFormatsTest {
  private static final Path EXAMPLES = Path.of("../../examples");
  private static final Path PIPELINE =
      EXAMPLES.resolve("src/main/resources/org/jhal/examples/pipeline/kernels");

  @TempDir private Path folder;

  /** Makes a bundle as {@code original}, with another list of variants. */
  private Path bundle(Path original, String name, String variants) throws IOException {
    Path bundle = Files.createDirectories(folder.resolve(name));
    String manifest = Files.readString(original.resolve("manifest.json"));
    Files.writeString(
        bundle.resolve("manifest.json"),
        manifest.substring(0, manifest.indexOf("\"variants\""))
            + "\"variants\": ["
            + variants
            + "]}");
    Files.writeString(bundle.resolve("kernels.txt"), TinyExamples.class.getName());
    return bundle;
  }

  private static final String TINY = "{\"format\": \"tiny\", \"file\": \"kernels.txt\"}";

  @Test
  void accuracyListsTheFormatsOfEachExampleThatCannotBeLoaded() {
    Outcome outcome = hal("accuracy", "--device", "tiny");
    assertEquals(1, outcome.exitCode(), outcome::toString);
    for (String example : new String[] {"saxpy", "reduction", "matmul"}) {
      assertTrue(
          outcome
              .err()
              .matches(
                  "(?s).*hal: UNIMPLEMENTED: "
                      + example
                      + ": tiny-0 can load no variant of bundle [^\\n]*:"
                      + example
                      + ": gpu-c\\+\\+: tiny-0 loads \\[tiny\\]; java: tiny-0 loads \\[tiny\\];"
                      + " --kernels takes [^\\n]*\\n.*"),
          outcome::toString);
    }
  }

  @Test
  void accuracyRunsWithKernelsInTheFormatOfTheDevice() throws IOException {
    for (String example : new String[] {"saxpy", "reduction", "matmul"}) {
      bundle(EXAMPLES.resolve(example), example, TINY);
    }
    String out =
        hal("accuracy", "--device", "tiny", "--kernels", folder.toString()).succeeded().out();
    assertEquals(3, out.lines().filter(line -> line.endsWith(": ok")).count(), out);
  }

  @Test
  void accuracyRunsTheExamplesThatCanBeLoaded() throws IOException {
    bundle(EXAMPLES.resolve("reduction"), "reduction", TINY);
    Outcome outcome = hal("accuracy", "--device", "tiny", "--kernels", folder.toString());
    assertEquals(1, outcome.exitCode(), outcome::toString);
    assertTrue(outcome.out().matches("(?s).*\\Rreduction [^\\n]*: ok\\R.*"), outcome::toString);
    assertTrue(
        outcome.err().contains("hal: NOT_FOUND: saxpy: no bundle at " + folder.resolve("saxpy")),
        outcome::toString);
  }

  @Test
  void thePipelineListsItsFormatsIfNoneCanBeLoaded() {
    hal("pipeline", "mock", "tiny")
        .failed(
            1,
            "UNIMPLEMENTED: tiny-0 can load no variant",
            "gpu-c++: tiny-0 loads [tiny]; java: tiny-0 loads [tiny]; --kernels takes");
  }

  @Test
  void thePipelineRunsOnDevicesOfDifferentFormats() throws IOException {
    String java =
        "{\"format\": \"java\", \"class\": \"org.jhal.examples.pipeline.PipelineKernels\"}";
    Path kernels = bundle(PIPELINE, "kernels", TINY + ", " + java);
    String out =
        hal("pipeline", "--kernels", kernels.toString(), "tiny", "mock", "tiny").succeeded().out();
    assertTrue(out.contains("sums are correct"), out);
  }

  /** A folder of variants for bundles of these names. */
  private String variants(String format, String... bundles) throws IOException {
    Path all = Files.createDirectories(folder.resolve("variants"));
    for (int i = 0; i < bundles.length; i++) {
      Path one = Files.createDirectories(all.resolve("v" + i));
      Files.writeString(
          one.resolve("manifest.json"),
          "{\"version\": 1, \"bundle\": \"" + bundles[i] + "\", \"variants\": [" + format + "]}");
      Files.writeString(one.resolve("kernels.txt"), TinyExamples.class.getName());
    }
    return all.toString();
  }

  @Test
  void shippedBundlesRunWithVariantsFromOutside() throws IOException {
    String all = variants(TINY, "saxpy", "sum of an array", "matrix product", "pipeline");
    String out = hal("accuracy", "--device", "tiny", "--variants", all).succeeded().out();
    assertEquals(3, out.lines().filter(line -> line.endsWith(": ok")).count(), out);
    assertTrue(out.contains("functions  not compared: tiny-0 can load no variant of"), out);
    out = hal("pipeline", "--variants", all, "tiny", "mock").succeeded().out();
    assertTrue(out.contains("sums are correct"), out);
    String bundle = EXAMPLES.resolve("saxpy").toString();
    Path y = EXAMPLES.resolve("saxpy/y.npy");
    Path x = EXAMPLES.resolve("saxpy/x.npy");
    hal(
            "run",
            bundle,
            "--device",
            "tiny",
            "--variants",
            all,
            "--arg",
            "a=2",
            "--arg",
            "x=" + x,
            "--arg",
            "y=" + y,
            "--out",
            "y=" + folder.resolve("out.npy"))
        .succeeded();
  }

  @Test
  void warnsOfVariantsThatAreNotUsed() throws IOException {
    String folder = variants(TINY, "another bundle", "saxpy");
    String[] run = {
      "run",
      EXAMPLES.resolve("saxpy").toString(),
      "--device",
      "mock",
      "--arg",
      "a=2",
      "--arg",
      "x=" + EXAMPLES.resolve("saxpy/x.npy"),
      "--arg",
      "y=" + EXAMPLES.resolve("saxpy/y.npy"),
      "--variants",
      folder
    };
    Outcome outcome = hal(run);
    assertEquals(0, outcome.exitCode(), outcome::toString);
    String err = outcome.err();
    assertTrue(
        err.contains(
            "hal: warning: nothing of --variants "
                + folder
                + " is used: "
                + Path.of(folder, "v0")
                + ": it is not for the bundle 'saxpy'; "
                + Path.of(folder, "v1")
                + ": mock-0 loads none of its variants"),
        err);
    run[3] = "tiny";
    hal(run).succeeded();
  }

  @Test
  void missingVariantsAreWrongUsage() throws IOException {
    String nothing = folder.resolve("nothing").toString();
    String malformed = variants("{\"format\": 5}", "saxpy", "pipeline");
    hal("pipeline", "--variants", nothing).failed(2, "--variants", "no variants in");
    hal("accuracy", "--variants", nothing).failed(2, "--variants " + nothing);
    String bundle = EXAMPLES.resolve("saxpy").toString();
    hal("run", bundle, "--device", "mock", "--variants", nothing).failed(2, "no variants in");
    hal("run", bundle, "--device", "mock", "--variants", malformed)
        .failed(2, "overlay ", "variants[0].format");
  }

  @Test
  void missingKernelsAreWrongUsage() {
    Path nothing = folder.resolve("nothing");
    hal("pipeline", "--kernels", nothing.toString()).failed(2, "--kernels", "no bundle at");
    hal("pipeline", "--kernels").failed(2, "'--kernels'");
    hal("accuracy", "--kernels", nothing.toString()).failed(2, "--kernels " + nothing);
  }
}
