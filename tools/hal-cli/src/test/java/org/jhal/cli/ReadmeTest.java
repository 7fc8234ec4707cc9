// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.image.BufferedImage;
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
import javax.imageio.ImageIO;
import org.jhal.Hal;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The commands and programs on the pages for new users work as printed, in separate processes. */
@Timeout(120)
class ReadmeTest {
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

  @TempDir private Path folder;

  @Test
  void firstCommandOfTheReadmeWritesAPicture() throws Exception {
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
    assertArrayEquals(
        pixels(ROOT.resolve("docs/pictures/edges.png")),
        pixels(picture),
        "the picture below the command is not what it writes; make it again with ./site pictures");
  }

  private static int[] pixels(Path picture) throws IOException {
    BufferedImage read = ImageIO.read(picture.toFile());
    int width = read.getWidth();
    return read.getRGB(0, 0, width, read.getHeight(), null, 0, width);
  }

  @Test
  void shortestProgramPrintsWhatItsCommentSays() throws Exception {
    String program = find("README.md", "(?s)```java\n(.*?)```");
    assertTrue(program.lines().count() <= 40, "it is meant to be read");
    String patient = program.replace("ofSeconds(5)", "ofSeconds(60)"); // if it is busy
    Path source = Files.writeString(folder.resolve("Saxpy.java"), patient);
    assertEquals(
        find("README.md", "(?m)println.*// (.*)$"),
        Outcome.java(ROOT, source.toString()).succeeded().out().strip());
  }

  /** The first code sample is the frame for the others. */
  @Test
  void samplesOfTheGuidePrintWhatTheirCommentsSay() throws Exception {
    Matcher block =
        Pattern.compile("(?s)```java\n(.*?)```")
            .matcher(Files.readString(ROOT.resolve("docs/guide.md")));
    assertTrue(block.find(), "no code");
    String frame = block.group(1);
    StringBuilder calls = new StringBuilder();
    StringBuilder methods = new StringBuilder();
    List<String> expected = new ArrayList<>();
    int pieces = 0;
    for (; block.find(); pieces++) {
      String piece = block.group(1).replace("ofSeconds(5)", "ofSeconds(60)"); // if it is busy
      String method = "piece" + pieces + "(Device device, Executable kernels, DeviceQueue queue)";
      methods.append("static void " + method + " throws Exception {\n" + piece + "}\n");
      calls.append("piece" + pieces + "(device, kernels, queue);\n");
      Matcher printed = Pattern.compile("(?m)println.*?// (.*)$").matcher(piece);
      while (printed.find()) {
        expected.add(printed.group(1));
      }
    }
    assertTrue(pieces >= 4, "only " + pieces + " pieces of code");
    assertTrue(expected.size() >= 4, () -> "only " + expected);
    Path source =
        Files.writeString(
            folder.resolve("Guide.java"),
            """
            import java.nio.file.*;
            import java.time.Duration;
            import java.util.Arrays;
            import java.util.List;
            import java.util.concurrent.CompletableFuture;
            import java.util.concurrent.TimeoutException;
            import org.jhal.*;
            import org.jhal.kernel.*;

            public class Guide {
            public static void main(String[] args) throws Exception {
            %s
            }
            %s
            }
            """
                .formatted(frame.replaceFirst("(?m)^ *\\.\\.\\.$", calls.toString()), methods));
    assertEquals(
        expected, Outcome.java(ROOT, source.toString()).succeeded().out().lines().toList());
  }

  @Test
  @Tag("long")
  void commandsOfTheExamplesPageSucceed() throws Exception {
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
      String line = command.group(1).replace("268435456", "300000"); // a size that runs fast
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
  void kernelOfTheBundlesPageRuns() throws Exception {
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

  /** The words of {@code command}, with existing paths inserted; a path may have spaces. */
  private static String[] arguments(String command, UnaryOperator<String> paths) {
    return Arrays.stream(command.split(" ", -1)).map(paths).toArray(String[]::new);
  }

  private static String find(String file, String pattern) throws IOException {
    Matcher matcher = Pattern.compile(pattern).matcher(Files.readString(ROOT.resolve(file)));
    assertTrue(matcher.find(), () -> "no " + pattern + " in " + file);
    return matcher.group(1);
  }
}
