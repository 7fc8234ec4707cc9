// SPDX-License-Identifier: Apache-2.0
package org.jhal.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The code of neutral modules names no vendor and no driver: identifiers, strings and imports are
 * searched for whole words in any case, where {@code cudaEvent} has the words "cuda" and "event".
 * Comments may give examples.
 */
class VendorNamesTest {
  private static final Set<String> NAMES =
      Set.of(
          "amd", "amdhip", "cuda", "hip", "hiprtc", "jcuda", "mock", "nvidia", "nvrtc", "rocm",
          "vulkan");

  @TestFactory
  Stream<DynamicTest> neutralCodeNamesNoVendor() {
    return Stream.concat(Repository.NEUTRAL.stream(), Stream.of(Repository.FFM))
        .map(
            module ->
                DynamicTest.dynamicTest(
                    module, () -> assertNamesNoVendor(Repository.sources(module))));
  }

  /** Each driver of GPUs runs them. */
  @Test
  void neutralTestsNameNoVendor() throws IOException {
    assertNamesNoVendor(Repository.testsOfSimulator());
  }

  private static void assertNamesNoVendor(List<Path> files) throws IOException {
    assertFalse(files.isEmpty());
    List<String> found = new ArrayList<>();
    for (Path file : files) {
      found.addAll(names(file.toString(), Files.readString(file)));
    }
    assertEquals(List.of(), found);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "import jcuda.driver.CUevent;",
        "int cudaEvent;",
        "class HIPStream {}",
        "int MAX_HIP_EVENTS;",
        "String s = \"see the NVIDIA manual\";",
        "char q = '\"'; String s = \"mock\";",
        "/* fine */ cuda();",
        "String url = \"http://x\"; hip();",
        "String s = \"\"\"\n  a \"quoted\" // amd\n  \"\"\";"
      })
  void controlANameInCodeIsFound(String code) {
    assertEquals(1, names("X.java", code).size(), code);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "// cuda",
        "/** For example {@code \"hip\"}. */ class A {}",
        "/* mock\n * jna */",
        "int ship, chip, amd64, mockery, barracuda;",
        "String s = \"/*\"; // cuda */"
      })
  void controlACommentOrAPartOfAWordIsNone(String code) {
    assertEquals(List.of(), names("X.java", code));
  }

  @Test
  void controlTheLineIsReported() throws IOException {
    assertEquals(
        List.of("X.java:4: rocm"), names("X.java", "/* one\n two */\n// three\nint rocm;\n"));
  }

  private static List<String> names(String file, String source) {
    List<String> found = new ArrayList<>();
    List<String> lines = JavaCode.withoutComments(source).lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      for (String word : lines.get(i).split("[^A-Za-z0-9]+", -1)) {
        for (String part : word.split("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", -1)) {
          if (NAMES.contains(part.toLowerCase(Locale.ROOT))) {
            found.add(file + ":" + (i + 1) + ": " + part);
          }
        }
      }
    }
    return found;
  }
}
