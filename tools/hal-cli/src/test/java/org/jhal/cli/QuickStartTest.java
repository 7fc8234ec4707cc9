// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The quick starts in docs/start: their programs run, and their commands name what exists. */
@Timeout(120)
class QuickStartTest {
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

  /** Subcommands of modules that these tests do not see. */
  private static final List<String> ELSEWHERE = List.of("cts");

  @TempDir private Path folder;

  @Test
  void programPrintsWhatItsCommentSays() throws Exception {
    Matcher block = Pattern.compile("(?s)```java\n(.*?)```").matcher(page("use-a-device"));
    assertTrue(block.find(), "no program");
    String program = block.group(1);
    Matcher printed = Pattern.compile("println.*// (.*)").matcher(program);
    assertTrue(printed.find(), "the program prints nothing");
    Path source = Files.writeString(folder.resolve("Scale.java"), program);
    assertEquals(
        printed.group(1), Outcome.java(ROOT, source.toString(), "mock").succeeded().out().strip());
  }

  @ParameterizedTest
  @ValueSource(strings = {"use-a-device", "write-a-driver", "prove-a-device", "spread-work"})
  void commandsNameWhatExists(String name) throws IOException {
    String help = Outcome.hal("--help").out();
    List<String> commands = page(name).lines().filter(line -> line.startsWith("    ")).toList();
    int found = 0;
    for (String command : commands.stream().map(String::strip).toList()) {
      String[] words = command.split(" ", -1);
      if (words[0].equals("./hal")) {
        assertTrue(
            ELSEWHERE.contains(words[1]) || help.contains("\n  " + words[1] + " "),
            () -> "no subcommand: " + command);
        found++;
      }
      for (String path : paths(command)) {
        assertTrue(Files.exists(ROOT.resolve(path)), () -> "no " + path + ": " + command);
        found++;
      }
    }
    assertTrue(found >= 4, "only " + found + " in " + commands);
  }

  /** The files of the repository that a command names. A build makes what is in target folders. */
  private static List<String> paths(String command) {
    return Pattern.compile("(?<![\\w/])examples/[\\w/.-]+")
        .matcher(command)
        .results()
        .map(match -> match.group().replaceFirst("\\.bak$", ""))
        .filter(path -> !path.contains("/target/"))
        .toList();
  }

  private static String page(String name) throws IOException {
    Path start = ROOT.resolve("docs/start");
    try (Stream<Path> pages = Files.list(start)) {
      assertEquals(4, pages.count(), "pages of " + start);
    }
    return Files.readString(start.resolve(name + ".md"));
  }
}
