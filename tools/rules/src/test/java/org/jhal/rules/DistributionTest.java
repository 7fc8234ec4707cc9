// SPDX-License-Identifier: Apache-2.0
package org.jhal.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The POM of dist is where a driver is added; see CONTRIBUTING.md. */
class DistributionTest {
  private static final Pattern DRIVERS = Pattern.compile("<drivers>([^<]*)</drivers>");

  private String pom = "";

  @BeforeEach
  void read() throws IOException {
    pom = Files.readString(Repository.folder("dist").resolve("pom.xml"));
  }

  @Test
  void theDistributionNamesEachDriver() throws IOException {
    Matcher named = DRIVERS.matcher(pom);
    assertTrue(named.find(), "tools/dist/pom.xml has no property drivers");
    assertEquals(
        new TreeSet<>(Repository.drivers()), new TreeSet<>(List.of(named.group(1).split(","))));
  }

  @TestFactory
  Stream<DynamicTest> theDistributionHasADriverAndItsBackendOfTheSuite() throws IOException {
    return Repository.drivers().stream()
        .flatMap(
            driver -> Stream.of("", "\\s*<type>test-jar</type>").map(type -> has(driver, type)));
  }

  private DynamicTest has(String driver, String type) {
    Pattern entry =
        Pattern.compile(
            "<artifactId>"
                + driver
                + "</artifactId>\\s*<version>[^<]*</version>"
                + type
                + "\\s*</dependency>");
    return DynamicTest.dynamicTest(
        driver + (type.isEmpty() ? "" : ", test-jar"),
        () -> assertTrue(entry.matcher(pom).find(), "tools/dist/pom.xml does not depend on it"));
  }
}
