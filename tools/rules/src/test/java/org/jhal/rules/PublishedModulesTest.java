// SPDX-License-Identifier: Apache-2.0
package org.jhal.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** hal-bom lists the published modules, and these have what a public repository asks for. */
class PublishedModulesTest {
  private static final Pattern OWN =
      Pattern.compile("<groupId>org\\.jhal</groupId>\\s*<artifactId>([^<]*)</artifactId>");
  private static final Set<String> POMS = Set.of("jhal-parent", "hal-bom");

  @Test
  void bomListsEveryModuleThatIsNotExcludedFromPublishing() throws IOException {
    Set<String> published = new TreeSet<>();
    Set<String> excluded = new TreeSet<>();
    modules()
        .forEach(
            (artifact, pom) -> {
              boolean skipped = pom.contains("<maven.deploy.skip>true</maven.deploy.skip>");
              (skipped ? excluded : published).add(artifact);
            });
    published.removeAll(POMS);
    assertEquals(published, bom());
    assertTrue(excluded.contains("rules"), excluded::toString);
  }

  @Test
  void publishedModulesNeedNoUnpublishedOnes() throws IOException {
    Map<String, String> modules = modules();
    List<String> missing = new ArrayList<>();
    int dependencies = 0;
    for (String artifact : bom()) {
      String pom = published(artifact, pom(artifact, modules));
      for (Matcher own = OWN.matcher(pom); own.find(); ) {
        dependencies++;
        if (!bom().contains(own.group(1))) {
          missing.add(artifact + " needs " + own.group(1));
        }
      }
    }
    assertTrue(dependencies > 5, "dependencies found: " + dependencies);
    assertEquals(List.of(), missing);
  }

  @Test
  void everyModuleHasANameAndADescription() throws IOException {
    modules()
        .forEach(
            (artifact, pom) -> {
              assertTrue(pom.contains("<name>JHAL"), artifact + " has no name");
              assertTrue(
                  Pattern.compile("<description>[A-Z][^<]{10,}\\.</description>")
                      .matcher(pom)
                      .find(),
                  artifact + " has no description");
            });
  }

  @TestFactory
  Stream<DynamicTest> compiledModulesContainLicenseAndNotice() throws IOException {
    List<String> compiled = Repository.modules().stream().filter(Repository::isCompiled).toList();
    assertFalse(compiled.isEmpty());
    return compiled.stream()
        .flatMap(module -> Stream.of("LICENSE", "NOTICE").map(file -> sameFile(module, file)));
  }

  private static DynamicTest sameFile(String module, String file) {
    return DynamicTest.dynamicTest(
        module + ": " + file,
        () ->
            assertEquals(
                Files.readString(Repository.root().resolve(file)),
                Files.readString(Repository.compiled(module).resolve("META-INF").resolve(file))));
  }

  /** The artifacts that hal-bom lists. */
  private static Set<String> bom() throws IOException {
    Set<String> artifacts = new TreeSet<>();
    String pom = pom("hal-bom", modules());
    for (Matcher own = OWN.matcher(pom.substring(pom.indexOf("<dependencies>"))); own.find(); ) {
      artifacts.add(own.group(1));
    }
    return artifacts;
  }

  /** What is published of a pom: of some modules, another one that the build makes of it. */
  private static String published(String artifact, String pom) throws IOException {
    return pom.contains("<artifactId>flatten-maven-plugin</artifactId>")
        ? Files.readString(Repository.compiled(artifact).resolveSibling(".flattened-pom.xml"))
        : pom.replaceFirst("(?s)<parent>.*?</parent>", "");
  }

  private static String pom(String artifact, Map<String, String> modules) {
    String pom = modules.get(artifact);
    assertNotNull(pom, "no module " + artifact);
    return pom;
  }

  /** Artifact to pom, of every module in the repository, whichever profile builds it. */
  private static Map<String, String> modules() throws IOException {
    Map<String, String> modules = new TreeMap<>();
    String parent = Files.readString(Repository.root().resolve("pom.xml"));
    modules.put("jhal-parent", parent);
    for (Matcher module = Pattern.compile("<module>(.*)</module>").matcher(parent);
        module.find(); ) {
      Path file = Repository.root().resolve(module.group(1)).resolve("pom.xml");
      String pom = Files.readString(file);
      Matcher artifact =
          Pattern.compile("</parent>\\s*<artifactId>([^<]*)</artifactId>").matcher(pom);
      assertTrue(artifact.find(), file + " has no artifactId");
      modules.put(artifact.group(1), pom);
    }
    return modules;
  }
}
