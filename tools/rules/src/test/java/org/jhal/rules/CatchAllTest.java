// SPDX-License-Identifier: Apache-2.0
package org.jhal.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Who may catch {@code Throwable} or {@code Error}: where a call or a thread enters the engine,
 * where code of others is called, and what such code is called with. Only main sources count.
 */
class CatchAllTest {
  private static final Pattern SOURCE = Pattern.compile("\\.(java|c|h)$");

  private static final Pattern CATCHES_ALL =
      Pattern.compile("\\bcatch\\s*\\([^)]*\\b(Throwable|Error)\\b");

  private static final Map<String, String> MAY_CATCH_ALL =
      Map.ofEntries(
          entry("Attempt.java", "calls what may fail in any way"),
          entry("BackendCalls.java", "calls the driver"),
          entry("Cascade.java", "a signal, which enters the queues that wait for it"),
          entry("ChunkedTransfer.java", "a step of a transfer, on any thread"),
          entry("DeferredWorkQueue.java", "the end of an operation, on any thread"),
          entry("Enqueuer.java", "a call that enqueues"),
          entry("EventInquiry.java", "a thread that waits, and ends an operation meanwhile"),
          entry("Failures.java", "asks a throwable of others what it is"),
          entry("HostCallRun.java", "the end of a host call, by a thread of the program"),
          entry("JavaGrid.java", "runs kernels of the program on several threads"),
          entry("Lazy.java", "calls what may fail in any way, while others wait for the result"),
          entry("StepwiseStream.java", "calls a step of the driver"),
          entry("TransferRing.java", "a copy on another thread, whose end others wait for"));

  private static Map.Entry<String, String> entry(String file, String why) {
    return Map.entry(file, why);
  }

  @Test
  void onlyTheseCatchWhateverIsThrown() throws IOException {
    Set<String> found = new TreeSet<>();
    for (String module :
        List.of(
            "hal-kernels",
            "hal-spirv",
            "hal-utils",
            "hal-collectives",
            "hal-recording",
            "hal-gpu")) {
      for (Path file : sources(module + "/src/main/java")) {
        if (catchesAll(Files.readString(file))) {
          found.add(file.getFileName().toString());
        }
      }
    }
    assertEquals(new TreeSet<>(MAY_CATCH_ALL.keySet()), found);
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
