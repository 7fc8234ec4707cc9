package org.jhal.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.jhal.Hal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the README tells a new user to type works as it stands there, in processes of their own. */
@Timeout(120)
class ReadmeTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  @TempDir private Path folder;

  @Test
  void theFirstCommandWritesAPicture() throws Exception {
    String command = find("README.md", "(?m)^    \\./hal (run .*)$");
    Path picture = folder.resolve("edges.png");
    Outcome.hal(
            arguments(
                command,
                word ->
                    word.replace("edges=edges.png", "edges=" + picture)
                        .replace("examples/", ROOT + "/examples/")))
        .succeeded();
    assertArrayEquals(
        new byte[] {(byte) 0x89, 'P', 'N', 'G'}, Arrays.copyOf(Files.readAllBytes(picture), 4));
  }

  @Test
  void theShortestProgramPrintsWhatItSays() throws Exception {
    String program = find("README.md", "(?s)```java\n(.*?)```");
    Path source = Files.writeString(folder.resolve("Saxpy.java"), program);
    assertEquals(
        find("README.md", "(?m)println.*// (.*)$"),
        Outcome.java(ROOT, source.toString()).succeeded().out().strip());
  }

  @Test
  void everyCommandOfTheExamplesWorks() throws Exception {
    for (String bundle : List.of("edges", "saxpy", "reduction", "matmul")) {
      Path copy = Files.createDirectories(folder.resolve("examples/" + bundle));
      try (Stream<Path> files = Files.list(ROOT.resolve("examples/" + bundle))) {
        for (Path file : files.toList()) {
          Files.copy(file, copy.resolve(file.getFileName()));
        }
      }
    }
    Matcher command =
        Pattern.compile("(?m)^    \\./hal (.*)$")
            .matcher(Files.readString(ROOT.resolve("examples/README.md")));
    int commands = 0;
    while (command.find()) {
      String line = command.group(1).replace("268435456", "300000"); // a size that takes no time
      List<String> args = new ArrayList<>(List.of("org.jhal.cli.Main"));
      args.addAll(List.of(line.split(" ", -1)));
      Outcome.java(folder, args.toArray(new String[0])).succeeded();
      commands++;
    }
    assertTrue(commands >= 9, "only " + commands + " commands");
    for (String output : List.of("edges.png", "big/result.npy", "sum.npy", "product.npy")) {
      assertTrue(Files.exists(folder.resolve(output)), output);
    }
  }

  @Test
  void theKernelOfTheWalkThroughRuns() throws Exception {
    Path bundle = Files.createDirectory(folder.resolve("scale"));
    Path source =
        Files.writeString(
            bundle.resolve("Scale.java"),
            find("docs/bundles.md", "(?s)`scale/Scale.java`.*?```java\n(.*?)```"));
    Files.writeString(
        bundle.resolve("manifest.json"),
        find("docs/bundles.md", "(?s)`scale/manifest.json`.*?```json\n(.*?)```"));
    String api =
        Path.of(Hal.class.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    StringWriter said = new StringWriter();
    PrintWriter writer = new PrintWriter(said);
    int failed =
        ToolProvider.findFirst("javac")
            .orElseThrow()
            .run(writer, writer, "-cp", api, "-d", bundle + "/classes", source.toString());
    assertEquals(0, failed, said::toString);
    Path in = Files.write(folder.resolve("in.bin"), new byte[] {1, 2, 3});
    Path out = folder.resolve("out.bin");
    String command = find("docs/bundles.md", "(?m)^    \\./hal (run scale .*)$");
    Outcome.hal(
            arguments(
                command,
                word ->
                    word.replaceFirst("^scale$", Matcher.quoteReplacement(bundle.toString()))
                        .replace("in.bin", in.toString())
                        .replace("out.bin", out.toString())))
        .succeeded();
    assertArrayEquals(new byte[] {10, 20, 30}, Files.readAllBytes(out));
  }

  /** The words of {@code command}, each with its paths made real; a path may have spaces. */
  private static String[] arguments(String command, UnaryOperator<String> paths) {
    return Arrays.stream(command.split(" ", -1)).map(paths).toArray(String[]::new);
  }

  private static String find(String file, String pattern) throws IOException {
    Matcher matcher = Pattern.compile(pattern).matcher(Files.readString(ROOT.resolve(file)));
    assertTrue(matcher.find(), () -> "no " + pattern + " in " + file);
    return matcher.group(1);
  }
}
