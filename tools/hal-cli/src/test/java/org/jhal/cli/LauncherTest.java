// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The script {@code hal} in the place where {@code hal kit} puts it: beside a Java and the jars,
 * and nothing else. Making a kit takes a while; CONTRIBUTING.md describes how to test that.
 */
@Timeout(300) // each test makes archives, which takes seconds of processor time
class LauncherTest {
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
  private static final Path JAVA_HOME = Path.of(System.getProperty("java.home"));

  @TempDir private Path folder;
  private Path hal;

  @BeforeEach
  void copy() throws IOException {
    Path kit = Files.createDirectory(folder.resolve("kit"));
    hal = Files.copy(ROOT.resolve("hal"), kit.resolve("hal"));
    assertTrue(hal.toFile().setExecutable(true));
    Files.createDirectories(kit.resolve("dist/lib"));
    Files.createDirectories(kit.resolve("tools/dist"));
    Files.copy(ROOT.resolve("tools/dist/kit.sh"), kit.resolve("tools/dist/kit.sh"));
  }

  /**
   * Makes a folder with a Java that has no tools. It writes its arguments to the file {@code
   * CALLS}, makes no archive with {@code NO_ARCHIVE}, and starts with {@code FIRST_OPTION}. If it
   * fails with that, it is started again to report why, which the launcher silences.
   */
  private static void makeJre(Path jre) throws IOException {
    Files.createDirectories(jre.resolve("bin"));
    Files.copy(JAVA_HOME.resolve("release"), jre.resolve("release"));
    String script =
        """
        #!/bin/sh
        [ -z "${CALLS:-}" ] || echo "$*" >>"$CALLS"
        case $* in
          *-XX:AOTCacheOutput=* | *-Xshare:dump*) [ -z "${NO_ARCHIVE:-}" ] || exit 1 ;;
        esac
        java='%s/bin/java'
        [ -n "${FIRST_OPTION:-}" ] || exec "$java" "$@"
        "$java" $FIRST_OPTION "$@" && exit
        code=$?
        for arg; do
          shift
          case $arg in -Xlog:*) ;; *) set -- "$@" "$arg" ;; esac
        done
        "$java" $FIRST_OPTION "$@" >&2
        exit $code
        """
            .formatted(JAVA_HOME);
    Path java = Files.writeString(jre.resolve("bin/java"), script);
    assertTrue(java.toFile().setExecutable(true));
  }

  /** Adds a Java and the jars, which turn a folder with a launcher into a kit. */
  private void addJavaAndJars() throws IOException {
    makeJre(folder.resolve("kit/runtime"));
    int count = 0;
    for (String part :
        System.getProperty("java.class.path").split(Pattern.quote(File.pathSeparator), -1)) {
      Path jar = folder.resolve("kit/dist/lib/" + count++ + ".jar");
      if (part.endsWith(".jar")) {
        Files.copy(Path.of(part), jar);
      } else if (Files.isDirectory(Path.of(part))) {
        ToolProvider tool = ToolProvider.findFirst("jar").orElseThrow();
        String[] args = {"--create", "--file", jar.toString(), "-C", part, "."};
        assertEquals(0, tool.run(System.out, System.err, args));
      }
    }
  }

  private Outcome run(Map<String, String> environment, String... args) throws Exception {
    return Outcome.of(builder(environment, args));
  }

  private ProcessBuilder builder(Map<String, String> environment, String... args) {
    List<String> command = new ArrayList<>(List.of(hal.toString()));
    command.addAll(List.of(args));
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    builder.environment().clear();
    builder.environment().put("PATH", "/usr/bin:/bin");
    builder.environment().putAll(environment);
    return builder;
  }

  /** What the variable JHAL_LAUNCHER has is for commands that users copy. */
  @Test
  void theCommandLearnsHowTheUserHasCalledIt() throws Exception {
    Path java = Files.createDirectories(folder.resolve("kit/runtime/bin")).resolve("java");
    Files.copy(JAVA_HOME.resolve("release"), folder.resolve("kit/runtime/release"));
    assertTrue(
        Files.writeString(java, "#!/bin/sh\necho \"$JHAL_LAUNCHER\"\n")
            .toFile()
            .setExecutable(true));
    Files.createFile(folder.resolve("kit/dist/lib/some.jar"));
    Path elsewhere = Files.createDirectory(folder.resolve("else where"));
    Files.createSymbolicLink(elsewhere.resolve("link"), hal);
    Map<String, Path> calls =
        Map.of(
            "./hal",
            folder.resolve("kit"),
            "kit/hal",
            folder,
            hal.toString(),
            elsewhere,
            "./link",
            elsewhere);
    for (Map.Entry<String, Path> call : calls.entrySet()) {
      assertEquals(call.getKey(), launcher(call.getValue(), call.getKey()));
    }
    assertEquals("./hal", launcher(folder.resolve("kit"), "sh", "hal"));
    assertEquals(hal.toString(), launcher(folder, "sh", "-c", "PATH=$PWD/kit:$PATH; hal"));
  }

  private static String launcher(Path from, String... command) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(command).directory(from.toFile());
    if (command[0].startsWith("./") || command[0].startsWith("kit/")) { // from that folder
      builder.command("sh", "-c", command[0]);
    }
    builder.environment().put("JHAL_JAVA_OPTS", "-Dno.archive=yes");
    return Outcome.of(builder).succeeded().out().strip();
  }

  @Test
  @Tag("long")
  void aKitRunsWithItsOwnJava() throws Exception {
    addJavaAndJars();
    Map<String, String> elsewhere = Map.of("JAVA_HOME", "/nowhere");
    String devices = run(elsewhere, "devices").succeeded().out();
    assertTrue(devices.lines().anyMatch(line -> line.startsWith("mock://0")), devices);
    assertTrue(run(elsewhere, "pipeline").succeeded().out().contains("sums are correct"));
  }

  @Test
  void aKitRefusesToRebuild() throws Exception {
    addJavaAndJars();
    for (String command : List.of("kit", "--rebuild")) {
      Outcome outcome = run(Map.of(), command);
      assertEquals(125, outcome.exitCode(), outcome::toString);
      assertTrue(outcome.err().contains("this is a kit"), outcome::toString);
    }
  }

  @Test
  void kitNeedsJlink() throws Exception {
    Path jre = folder.resolve("jre");
    makeJre(jre);
    Outcome outcome = run(Map.of("JAVA_HOME", jre.toString()), "kit");
    assertEquals(124, outcome.exitCode(), outcome::toString);
    assertTrue(outcome.err().contains("'" + jre + "' has no bin/jlink"), outcome::toString);
  }

  @Test
  void kitRefusesArguments() throws Exception {
    Outcome outcome = run(Map.of("JAVA_HOME", JAVA_HOME.toString()), "kit", "small");
    assertEquals(125, outcome.exitCode(), outcome::toString);
    assertTrue(outcome.err().contains("no arguments, but there is 'small'"), outcome::toString);
  }

  private Path archives() {
    return folder.resolve("kit/dist/cds");
  }

  /** The archive that is there; beside it is only the list of the jars that it was made from. */
  private Path archive() throws IOException {
    try (Stream<Path> files = Files.list(archives())) {
      List<Path> sorted = files.sorted().toList();
      assertEquals(2, sorted.size(), sorted::toString);
      assertEquals(sorted.get(0) + ".path", sorted.get(1).toString());
      return sorted.get(0);
    }
  }

  /** The JVM then does not start if the archive does not fit. */
  private static Map<String, String> insistOnArchive() {
    boolean hasCache = Runtime.version().feature() >= 25;
    return Map.of("FIRST_OPTION", hasCache ? "-XX:AOTMode=on" : "-Xshare:on");
  }

  @Test
  @Tag("long")
  void commandsStartFromAnArchiveThatIsMadeOnce() throws Exception {
    addJavaAndJars();
    Path examples = Files.createDirectories(folder.resolve("kit/examples"));
    Path edges = ROOT.resolve("examples/edges");
    Files.createSymbolicLink(examples.resolve("edges"), edges);
    String devices = run(Map.of(), "devices").succeeded().out();
    Path archive = archive();
    Object made = Files.readAttributes(archive, BasicFileAttributes.class).fileKey();

    assertEquals(devices, run(insistOnArchive(), "devices").succeeded().out());
    String[] work = {
      "run", edges.toString(), "--device", "mock", "--arg", "image=" + edges + "/input.png"
    };
    run(insistOnArchive(), work).succeeded();
    assertEquals(made, Files.readAttributes(archive(), BasicFileAttributes.class).fileKey());

    for (int part = 0; part < 3; part++) {
      byte[] bytes = Files.readAllBytes(archive);
      Files.delete(archive);
      Files.write(archive, part == 0 ? "no archive".getBytes(UTF_8) : half(bytes));
      assertEquals(devices, run(Map.of(), "devices").succeeded().out());
      run(Map.of(), work).succeeded();
    }
  }

  private static byte[] half(byte[] bytes) {
    return Arrays.copyOf(bytes, bytes.length / 2);
  }

  @Test
  @Tag("long")
  void anotherJarReplacesTheArchive() throws Exception {
    addJavaAndJars();
    run(Map.of(), "version").succeeded();
    Path jars = Path.of(archive() + ".path");
    FileTime beforeTheJars = FileTime.from(Instant.EPOCH);
    Files.setLastModifiedTime(jars, beforeTheJars);
    run(Map.of(), "version").succeeded();
    assertNotEquals(beforeTheJars, Files.getLastModifiedTime(jars));
    run(insistOnArchive(), "version").succeeded();
  }

  @Test
  void commandsRunWhereNoArchiveCanBeMade() throws Exception {
    addJavaAndJars();
    Path calls = folder.resolve("calls");
    Map<String, String> none = Map.of("CALLS", calls.toString(), "NO_ARCHIVE", "yes");
    run(none, "version").succeeded();
    Files.delete(calls);
    run(none, "version").succeeded();
    assertEquals(1, Files.readAllLines(calls).size(), "it was tried again");

    try (Stream<Path> files = Files.list(archives())) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(archives());
    Files.createFile(archives()); // as if nothing could be created
    run(Map.of(), "version").succeeded();
  }

  @Test
  @Tag("long")
  void commandsThatStartTogetherEachMakeAnArchive() throws Exception {
    addJavaAndJars();
    List<Process> processes = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        ProcessBuilder builder = builder(Map.of(), "version").redirectErrorStream(true);
        processes.add(builder.redirectOutput(folder.resolve("out" + i).toFile()).start());
      }
      for (int i = 0; i < 3; i++) {
        assertTrue(
            processes.get(i).waitFor(100, TimeUnit.SECONDS),
            "waited 100 s for 'hal version' to end");
        List<String> lines = Files.readAllLines(folder.resolve("out" + i));
        assertEquals(0, processes.get(i).exitValue(), lines::toString);
        assertEquals(2, lines.size(), lines::toString);
      }
    } finally {
      processes.forEach(Process::destroyForcibly);
    }
    archive();
    run(insistOnArchive(), "version").succeeded();
  }

  @Test
  void optionsOfTheUserReplaceThoseOfTheScript() throws Exception {
    addJavaAndJars();
    String options = "-XX:+UseParallelGC -Xmx100m -XX:-UseCompressedOops";
    run(Map.of("JHAL_JAVA_OPTS", options), "devices").succeeded();
    Outcome outcome = run(Map.of("JAVA_TOOL_OPTIONS", options), "devices");
    assertEquals(0, outcome.exitCode(), outcome::toString);
    assertEquals(1, outcome.err().lines().count(), outcome::toString); // that it picked them up
    assertTrue(Files.notExists(archives()), "made an archive with options of the user");
  }
}
