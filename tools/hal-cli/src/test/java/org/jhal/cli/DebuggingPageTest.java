// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import static org.jhal.cli.Outcome.hal;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of docs/debugging.md that can be tried in a clone print what the page says. */
class DebuggingPageTest {
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

  @TempDir private Path folder;

  /** Blocks of lines that are indented by four spaces, without these. */
  private static List<List<String>> blocks() throws Exception {
    List<List<String>> blocks = new ArrayList<>();
    Matcher block =
        Pattern.compile("(?m)(?:^ {4}\\S?.*\\n)+")
            .matcher(Files.readString(ROOT.resolve("docs/debugging.md")));
    while (block.find()) {
      blocks.add(block.group().lines().map(line -> line.substring(4)).toList());
    }
    return blocks;
  }

  /** Runs commands in a folder that looks like a clone. */
  private Outcome run(List<String> commands) throws Exception {
    return Outcome.of(
        new ProcessBuilder("sh", "-c", String.join("\n", commands)).directory(folder.toFile()));
  }

  @Test
  void aMissingBarrierIsFoundAsThePageSays() throws Exception {
    assumeTrue(
        hal("devices").out().contains("kernels are compiled by "),
        "there is no C++ compiler on the PATH");
    Files.createSymbolicLink(folder.resolve("examples"), ROOT.resolve("examples"));
    Outcome.script(folder.resolve("hal"));
    List<List<String>> blocks = blocks();
    int first = 0;
    while (!blocks.get(first).get(0).startsWith("cp -r examples/reduction")) {
      first++;
    }

    Outcome twin = run(blocks.get(first));
    assertEquals(1, twin.exitCode(), twin::toString);
    assertEquals(String.join(" ", blocks.get(first + 1)), twin.err().strip());

    Outcome check = run(blocks.get(first + 2));
    assertEquals(6, check.exitCode(), check::toString);
    List<String> found = check.out().lines().toList();
    List<String> expected = blocks.get(first + 3);
    String anyElement = "'partial\\[\\d+]'"; // which one is found first depends on the threads
    assertEquals(
        expected.get(0).replaceAll(anyElement, ""), found.get(0).replaceAll(anyElement, ""));
    assertEquals(expected.get(1), found.get(1));
  }
}
