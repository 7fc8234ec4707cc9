// SPDX-License-Identifier: Apache-2.0
package org.jhal.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Each source file names its licence, in the form of SPDX (https://spdx.dev/ids), in its first line
 * or behind the line that names a script's interpreter. So a file that is copied elsewhere still
 * says how it may be used.
 */
class LicenceLineTest {
  private static final String IDENTIFIER = "SPDX-License-Identifier: Apache-2.0";

  private static final Pattern COMMENT =
      Pattern.compile("(?:// |# |/\\* )" + Pattern.quote(IDENTIFIER) + "(?: \\*/)?");

  private static final Pattern SOURCE =
      Pattern.compile(".*\\.(java|c|h|cpp|cu|cl|mjs|js|css|sh|kts?|scala)");

  /** They come with a licence of their own. */
  private static final Set<String> OF_OTHERS = Set.of("mvnw");

  @Test
  void eachSourceFileNamesItsLicence() throws IOException {
    List<Path> without = without(Repository.root());
    assertTrue(
        without.isEmpty(), () -> "without \"%s\" at the top: %s".formatted(IDENTIFIER, without));
  }

  @ParameterizedTest
  @CsvSource({
    "A.java, package a;, true",
    "A.java, // SPDX-License-Identifier: Apache-2.0, false",
    "A.java, // SPDX-License-Identifier: MIT, true",
    "a.css, /* SPDX-License-Identifier: Apache-2.0 */, false",
    "run, '#!/bin/sh', true",
    "run, '#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0', false",
    "run, text, false",
    "a.md, text, false",
    "a.c, '', true"
  })
  void controlAFileWithoutIsFound(String name, String text, boolean isFound, @TempDir Path folder)
      throws IOException {
    Files.writeString(folder.resolve(name), text);
    assertEquals(isFound ? List.of(Path.of(name)) : List.of(), without(folder));
  }

  @Test
  void whatTheSiteIsMadeFromIsNoSource(@TempDir Path folder) throws IOException {
    for (String path : List.of("website/pages/a/b.js", "website/a/b.js")) {
      Path file = folder.resolve(path);
      Files.createDirectories(file.getParent());
      Files.writeString(file, "");
    }
    assertEquals(List.of(Path.of("website/a/b.js")), without(folder));
  }

  @Test
  void controlOtherLinesAreNone() {
    assertFalse(isLicence("// see the SPDX-License-Identifier: Apache-2.0 below"));
  }

  /** Whether a line is the one that names the licence. */
  static boolean isLicence(String line) {
    return COMMENT.matcher(line).matches();
  }

  private static List<Path> without(Path root) throws IOException {
    List<Path> found = new ArrayList<>();
    for (Path file : SourceFiles.below(root)) {
      if (lacksLicence(file)) {
        found.add(root.relativize(file));
      }
    }
    return found;
  }

  private static boolean lacksLicence(Path file) throws IOException {
    String name = file.getFileName().toString();
    boolean isScript = name.indexOf('.') < 0;
    if (OF_OTHERS.contains(name) || !isScript && !SOURCE.matcher(name).matches()) {
      return false;
    }
    String start = start(file);
    if (isScript && !start.startsWith("#!")) {
      return false; // text
    }
    return start.lines().limit(2).noneMatch(LicenceLineTest::isLicence);
  }

  /** The first bytes of a file, which may be binary, as characters. */
  private static String start(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return new String(in.readNBytes(400), StandardCharsets.ISO_8859_1);
    }
  }
}
