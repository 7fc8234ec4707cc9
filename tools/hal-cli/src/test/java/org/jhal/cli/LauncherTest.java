package org.jhal.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The script {@code hal} in the place where {@code hal kit} puts it: beside a Java and the jars,
 * and nothing else. Making a kit takes a while; CONTRIBUTING.md describes how to test that.
 */
@Timeout(120)
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

  /** Makes a folder with a Java that has no tools. */
  private static void makeJre(Path jre) throws IOException {
    Files.createDirectories(jre.resolve("bin"));
    Files.copy(JAVA_HOME.resolve("release"), jre.resolve("release"));
    String script = "#!/bin/sh\nexec '" + JAVA_HOME + "/bin/java' \"$@\"\n";
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
    List<String> command = new ArrayList<>(List.of(hal.toString()));
    command.addAll(List.of(args));
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    builder.environment().clear();
    builder.environment().put("PATH", "/usr/bin:/bin");
    builder.environment().putAll(environment);
    return Outcome.of(builder);
  }

  @Test
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
}
