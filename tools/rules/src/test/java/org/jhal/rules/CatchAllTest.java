// SPDX-License-Identifier: Apache-2.0
package org.jhal.rules;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How many files may catch {@code Throwable} or {@code Error}: an unexpected error is handled once,
 * where a call or a step of a thread begins. Only main sources count.
 */
class CatchAllTest {
  private static final Pattern SOURCE = Pattern.compile("\\.(java|c|h)$");

  private static final Pattern CATCHES_ALL =
      Pattern.compile("\\bcatch\\s*\\([^)]*\\b(Throwable|Error)\\b");

  @ParameterizedTest
  @CsvSource({
    "hal-utils/src/main/java, 10",
    "hal-utils/src/main/java/org/jhal/engine, 6",
    "hal-gpu/src/main/java, 0"
  })
  void fewFilesCatchWhateverIsThrown(String folder, int limit) throws IOException {
    List<String> files = new ArrayList<>();
    for (Path file : sources(folder)) {
      if (catchesAll(Files.readString(file))) {
        files.add(file.getFileName().toString());
      }
    }
    if (files.size() > limit) {
      fail(
          "%s files in %s catch Throwable or Error; the limit is %s: %s"
              .formatted(files.size(), folder, limit, String.join(", ", files)));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "try { a(); } catch (Throwable t) { // no memory",
        "} catch (final Error e) {",
        "} catch (IOException\n    | Error e) {",
        "} catch (/* any */ Throwable t) {"
      })
  void controlACatchIsFound(String code) {
    assertTrue(catchesAll(code));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "} catch (OutOfMemoryError e) { // Error",
        "// catch (Throwable t)",
        "catch (IOException e) { throw new Error(e); }",
        "/** {@code catch (Error e)} */"
      })
  void controlAnotherCatchIsNone(String code) {
    assertFalse(catchesAll(code));
  }

  private static boolean catchesAll(String source) {
    return CATCHES_ALL.matcher(JavaCode.withoutComments(source)).find();
  }

  /** The sources in a folder of the repository. */
  private static List<Path> sources(String folder) throws IOException {
    try (Stream<Path> files = Files.walk(Repository.root().resolve(folder))) {
      List<Path> sources =
          files.filter(file -> SOURCE.matcher(file.toString()).find()).sorted().toList();
      assertFalse(sources.isEmpty(), () -> "no sources in " + folder);
      return sources;
    }
  }
}
