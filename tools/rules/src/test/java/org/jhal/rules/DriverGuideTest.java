// SPDX-License-Identifier: Apache-2.0
package org.jhal.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The code in docs/writing-a-driver.md is that of the example driver, which is built and tested.
 */
class DriverGuideTest {
  private static final Pattern VERSIONED =
      Pattern.compile("<artifactId>(maven-[a-z-]+)</artifactId>\\s*<version>([^<]+)</version>");

  private static Path example() {
    return Repository.root().resolve("examples/driver");
  }

  private static String guide() throws IOException {
    return Files.readString(Repository.root().resolve("docs/writing-a-driver.md"));
  }

  private static String oneLine(String text) {
    return text.strip().replaceAll("\\s+", " ");
  }

  /** The blocks of code in a language. */
  private static List<String> blocks(String page, String language) {
    List<String> blocks = new ArrayList<>();
    Matcher matcher =
        Pattern.compile("^```" + language + "\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE)
            .matcher(page);
    while (matcher.find()) {
      blocks.add(matcher.group(1));
    }
    assertFalse(blocks.isEmpty(), () -> "no blocks of " + language);
    return blocks;
  }

  /** The parts of Java code, which lines with three dots divide, that none of the texts has. */
  private static List<String> missing(List<String> blocks, List<String> texts) {
    return blocks.stream()
        .flatMap(block -> Pattern.compile("^ *\\.\\.\\.$", Pattern.MULTILINE).splitAsStream(block))
        .map(DriverGuideTest::oneLine)
        .filter(part -> texts.stream().noneMatch(text -> text.contains(part)))
        .toList();
  }

  private static List<String> files(String ending) throws IOException {
    try (Stream<Path> files = Files.walk(example().resolve("src"))) {
      List<String> texts = new ArrayList<>();
      for (Path file : files.filter(path -> path.toString().endsWith(ending)).toList()) {
        texts.add(oneLine(Files.readString(file)));
      }
      return texts;
    }
  }

  @Test
  void codeOfTheGuideIsThatOfTheExample() throws IOException {
    assertEquals(List.of(), missing(blocks(guide(), "java"), files(".java")));
    assertEquals(List.of(), missing(blocks(guide(), "json"), files(".json")));
    assertTrue(guide().contains("\n    " + services("main") + "\n"), "the provider");
    assertTrue(guide().contains("\n    " + services("test") + "\n"), "the backend");
  }

  /** The only entry of the only service file. */
  private static String services(String scope) throws IOException {
    try (Stream<Path> files =
        Files.list(example().resolve("src/" + scope + "/resources/META-INF/services"))) {
      return Files.readString(files.findFirst().orElseThrow()).strip();
    }
  }

  @Test
  void kernelsOfTheGuideAreThoseOfTheSuite() throws IOException {
    Path suite =
        Repository.root()
            .resolve("cts/src/main/resources/org/jhal/cts/kernels/kernels/manifest.json");
    Path own = example().resolve("src/test/resources/org/example/tiny/kernels/manifest.json");
    assertEquals(kernels(suite), kernels(own));
  }

  private static String kernels(Path manifest) throws IOException {
    String text = Files.readString(manifest);
    return oneLine(text.substring(text.indexOf("\"kernels\""), text.indexOf("\"variants\"")));
  }

  /** Imports and blank lines do not count, since a reader need not understand them. */
  @Test
  void exampleDriverStaysShort() throws IOException {
    int count = 0;
    try (Stream<Path> files = Files.walk(example().resolve("src/main/java"))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
        count +=
            (int)
                Files.readString(file)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.matches("(import|package) .*"))
                    .count();
      }
    }
    assertTrue(count <= 400, count + " lines, without imports");
  }

  @Test
  void controlOtherCodeIsFound() {
    List<String> texts = List.of("class A { int b; int c; }");
    assertEquals(List.of(), missing(List.of("class A {\n  int b;\n...\n}\n"), texts));
    assertEquals(List.of("int d;"), missing(List.of("  int c;\n  ...\n  int d;\n"), texts));
  }

  private static Optional<String> newestRelease() throws IOException {
    String changelog = Files.readString(Repository.root().resolve("CHANGELOG.md"));
    return Pattern.compile("(?m)^## (\\d\\S*)")
        .matcher(changelog)
        .results()
        .map(section -> section.group(1))
        .findFirst();
  }

  @Test
  void pomOfTheGuideIsUpToDate() throws IOException {
    String pom = blocks(guide(), "xml").get(0);
    String parent = Files.readString(Repository.root().resolve("pom.xml"));
    int count = 0;
    for (Matcher plugin = VERSIONED.matcher(pom); plugin.find(); count++) {
      assertTrue(
          oneLine(parent).contains(oneLine(plugin.group())),
          () -> plugin.group(1) + " has another version in the parent");
    }
    assertEquals(4, count, "plugins with a version");
    Matcher version = Pattern.compile("<jhal.version>(.*)</jhal.version>").matcher(pom);
    assertTrue(version.find(), "jhal.version");
    // This version, or the newest one that was released.
    assertTrue(
        oneLine(parent)
                .contains(
                    "<artifactId>jhal-parent</artifactId> <version>"
                        + version.group(1)
                        + "</version>")
            || newestRelease().filter(version.group(1)::equals).isPresent(),
        "the version of JHAL");
    Matcher suite =
        Pattern.compile("<useModulePath>.*</dependenciesToScan>", Pattern.DOTALL).matcher(pom);
    assertTrue(suite.find(), "what runs the suite");
    assertTrue(
        oneLine(Files.readString(example().resolve("pom.xml"))).contains(oneLine(suite.group())),
        "the example runs the suite in another way");
  }
}
