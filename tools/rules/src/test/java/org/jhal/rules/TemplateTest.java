// SPDX-License-Identifier: Apache-2.0
package org.jhal.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The project in examples/template, which users copy, names the versions of this build, and the
 * same ones for Maven and for Gradle. That it builds and runs, {@code .ci/run project} shows.
 */
class TemplateTest {
  private static final Pattern PLUGIN =
      Pattern.compile("<artifactId>(maven-[a-z-]+)</artifactId>\\s*<version>[^<]+</version>");

  @Test
  void pluginsAndJunitHaveTheVersionsOfTheParent() throws IOException {
    String parent = oneLine(text("pom.xml"));
    String pom = text("examples/template/pom.xml");
    int count = 0;
    for (Matcher plugin = PLUGIN.matcher(pom); plugin.find(); count++) {
      assertTrue(
          parent.contains(oneLine(plugin.group())),
          () -> plugin.group(1) + " has another version in the parent");
    }
    assertEquals(5, count, "plugins with a version");
    String junit = "<junit.version>" + property(pom, "junit.version") + "</junit.version>";
    assertTrue(parent.contains(junit), junit);
  }

  /** DriverGuideTest compares that one with this build. */
  @Test
  void versionOfJhalIsThatOfTheGuide() throws IOException {
    assertEquals(
        property(text("docs/writing-a-driver.md"), "jhal.version"),
        property(text("examples/template/pom.xml"), "jhal.version"));
  }

  @Test
  void gradleHasTheDependenciesOfMaven() throws IOException {
    String pom = text("examples/template/pom.xml");
    Set<String> maven =
        find(pom, "<groupId>(org\\.[a-z.]+)</groupId>\\s*<artifactId>([a-z-]+)</artifactId>");
    Set<String> gradle = find(text("examples/template/build.gradle"), "\"(org[a-z.]+):([a-z-]+)");
    // Maven Surefire brings these two.
    gradle.remove("org.junit:junit-bom");
    gradle.remove("org.junit.platform:junit-platform-launcher");
    assertEquals(maven, gradle);
  }

  @Test
  void gradleHasTheVersionsOfMaven() throws IOException {
    String pom = text("examples/template/pom.xml");
    assertEquals(
        Set.of(
            "hal-bom:" + property(pom, "jhal.version"),
            "junit-bom:" + property(pom, "junit.version")),
        find(text("examples/template/build.gradle"), "platform\\(\"[a-z.]+:([a-z-]+):([^\"]+)"));
  }

  /** The two groups of each match, with a colon between. */
  private static Set<String> find(String text, String pattern) {
    return Pattern.compile(pattern)
        .matcher(text)
        .results()
        .map(match -> match.group(1) + ":" + match.group(2))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static String property(String text, String name) {
    Matcher value = Pattern.compile("<" + name + ">([^<]+)</" + name + ">").matcher(text);
    assertTrue(value.find(), () -> "no " + name);
    return value.group(1);
  }

  private static String text(String path) throws IOException {
    return Files.readString(Repository.root().resolve(path));
  }

  private static String oneLine(String text) {
    return text.strip().replaceAll("\\s+", " ");
  }
}
