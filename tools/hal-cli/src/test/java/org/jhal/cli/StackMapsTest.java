// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The step of the build that converts the jar of picocli for {@code hal}. */
@Timeout(120)
class StackMapsTest {
  private static final int JAVA_17 = 61;

  @TempDir private Path folder;
  private Path original;
  private Path converted;

  @BeforeEach
  void convert() throws Exception {
    URL jar = CommandLine.class.getProtectionDomain().getCodeSource().getLocation();
    original = Path.of(jar.toURI());
    converted = Files.copy(original, folder.resolve("picocli.jar"));
    Path step = Path.of("../dist/StackMaps.java").toAbsolutePath();
    Outcome.java(folder, step.toString(), converted.toString()).succeeded();
  }

  @Test
  void theConvertedJarHasTheSameFilesAndMembers() throws Exception {
    try (JarFile before = new JarFile(original.toFile());
        JarFile after = new JarFile(converted.toFile());
        URLClassLoader oldClasses = loader(original);
        URLClassLoader newClasses = loader(converted)) {
      assertEquals(names(before), names(after));
      int classes = 0;
      for (JarEntry entry : Collections.list(before.entries())) {
        String name = entry.getName();
        byte[] bytes = after.getInputStream(after.getEntry(name)).readAllBytes();
        if (name.startsWith("picocli/") && name.endsWith(".class")) {
          classes++;
          assertEquals(JAVA_17, ByteBuffer.wrap(bytes).getShort(6), name);
          String type = name.replace(".class", "").replace('/', '.');
          assertEquals(members(type, oldClasses), members(type, newClasses));
        } else {
          assertArrayEquals(before.getInputStream(entry).readAllBytes(), bytes, name);
        }
      }
      assertTrue(classes > 0, "there are no classes");
    }
  }

  private static List<String> names(JarFile jar) {
    return jar.stream().map(JarEntry::getName).toList();
  }

  private static URLClassLoader loader(Path jar) throws Exception {
    URL[] jars = {jar.toUri().toURL()};
    return new URLClassLoader(jars, ClassLoader.getPlatformClassLoader());
  }

  /** The JVM verifies a class before it initialises it. */
  private static TreeSet<String> members(String name, ClassLoader loader) throws Exception {
    Class<?> type = Class.forName(name, true, loader);
    TreeSet<String> members = new TreeSet<>();
    members.add(type.toGenericString() + " extends " + type.getGenericSuperclass());
    for (Object[] some :
        new Object[][] {
          type.getGenericInterfaces(),
          type.getAnnotations(),
          type.getDeclaredFields(),
          type.getDeclaredConstructors(),
          type.getDeclaredMethods(),
          type.getDeclaredClasses()
        }) {
      for (Object member : some) {
        members.add(member.toString());
      }
    }
    return members;
  }

  @Test
  void theConvertedJarPrintsTheSameHelp() throws Exception {
    String jars = System.getProperty("java.class.path");
    String converting = jars.replace(original.toString(), converted.toString());
    assertNotEquals(jars, converting);
    String main = Main.class.getName();
    Outcome before = Outcome.java(folder, main, "--help").succeeded();
    Outcome after = Outcome.java(folder, "-cp", converting, main, "--help").succeeded();
    assertEquals(before, after);
  }
}
