// SPDX-License-Identifier: Apache-2.0
package org.jhal.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Rule D1, with all drivers: {@code hal drivers} loads no native library and asks no driver. */
@Timeout(200)
class ListingLoadsNothingTest {
  private static final Path MAPS = Path.of("/proc/self/maps");
  private static final long DEADLINE_SECONDS = 60;

  @TempDir private Path folder;

  /**
   * Runs {@code hal} with the arguments from the second on, and leaves what was loaded in a file.
   */
  public static final class Child {
    private Child() {}

    /** The first argument is the file. */
    public static void main(String[] args) throws Exception {
      Set<String> before = libraries();
      Path result = Path.of(args[0]);
      Thread atTheEnd =
          new Thread(
              () -> {
                try {
                  Set<String> after = libraries();
                  after.removeAll(before);
                  Files.write(result, after);
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
              });
      Runtime.getRuntime().addShutdownHook(atTheEnd);
      String[] rest = List.of(args).subList(1, args.length).toArray(new String[0]);
      Class.forName("org.jhal.cli.Main")
          .getMethod("main", String[].class)
          .invoke(null, (Object) rest);
    }
  }

  /** All libraries of this process except those of the JVM itself. */
  private static Set<String> libraries() throws IOException {
    String ours = System.getProperty("java.home");
    Set<String> libraries = new TreeSet<>();
    for (String line : Files.readAllLines(MAPS)) {
      int start = line.indexOf('/');
      if (start >= 0 && line.matches(".*\\.(so|tmp)\\b.*") && !line.startsWith(ours, start)) {
        libraries.add(line.substring(start));
      }
    }
    return libraries;
  }

  /** What {@code hal} printed, the libraries that it loaded, and its classes. */
  private record Seen(List<String> printed, List<String> libraries, Set<String> classes) {}

  private Seen hal(String command) throws IOException, InterruptedException {
    assumeTrue(
        Files.isReadable(MAPS),
        "this system does not list the libraries that a process has loaded");
    Path libraries = folder.resolve("libraries");
    Path classes = folder.resolve("classes");
    Path output = folder.resolve("output");
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.add("-Xlog:class+load:file=" + classes);
    line.addAll(List.of("-cp", absolute(System.getProperty("java.class.path"))));
    line.addAll(List.of(Child.class.getName(), libraries.toString(), command));
    Process process =
        new ProcessBuilder(line)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .directory(folder.toFile())
            .start();
    try {
      boolean ended = process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS);
      List<String> printed = Files.readAllLines(output);
      assertTrue(ended, () -> "waited " + DEADLINE_SECONDS + " s for hal " + command + printed);
      assertEquals(0, process.exitValue(), printed::toString);
      try (Stream<String> lines = Files.lines(classes)) {
        return new Seen(
            printed,
            Files.readAllLines(libraries),
            lines
                .map(text -> text.replaceFirst("^(\\[[^]]*\\])+ ", "").replaceFirst(" .*", ""))
                .collect(Collectors.toCollection(TreeSet::new)));
      }
    } finally {
      process.destroyForcibly();
    }
  }

  private static String absolute(String classPath) {
    return Stream.of(classPath.split(File.pathSeparator))
        .map(entry -> new File(entry).getAbsolutePath())
        .collect(Collectors.joining(File.pathSeparator));
  }

  @Test
  void listingDriversLoadsNothing() throws Exception {
    Seen seen = hal("drivers");
    assertTrue(seen.printed().size() >= 2, seen.printed()::toString);
    assertEquals(List.of(), seen.libraries());
    for (String prefix : List.of("com.sun.jna.", "jcuda.", "org.jhal.Driver$Availability")) {
      assertFalse(seen.classes().stream().anyMatch(name -> name.startsWith(prefix)), prefix);
    }
    assertTrue(seen.classes().contains("org.jhal.DriverRegistry"), "no classes are seen");
  }

  @Test
  void controlListingDevicesLoadsSomething() throws Exception {
    Seen seen = hal("devices");
    assertFalse(seen.libraries().isEmpty(), "a library that is loaded is not seen");
    assertTrue(seen.classes().contains("org.jhal.Driver$Availability"));
  }
}
