// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The kernels in the resources, and what a test asks about modules. */
final class Kernels {
  static final List<String> FILES = List.of("flow", "memory", "functions", "pointers");

  private static final long SECONDS = 60; // that the validator may take
  private static final int ENTRY_POINT = 15;
  private static final int CAPABILITY = 17;

  private Kernels() {}

  /** The SPIR-V of OpenCL in a file. */
  static byte[] read(String file) throws IOException {
    try (InputStream in = Kernels.class.getResourceAsStream("kernels/" + file + ".spv")) {
      if (in == null) {
        throw new IOException("no resource kernels/" + file + ".spv");
      }
      return in.readAllBytes();
    }
  }

  /** The words of a module. */
  static int[] words(byte[] module) {
    int[] words = new int[module.length / 4];
    ByteBuffer.wrap(module).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(words);
    return words;
  }

  /** The bytes of a module. */
  static byte[] bytes(int... words) {
    ByteBuffer bytes = ByteBuffer.allocate(4 * words.length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asIntBuffer().put(words);
    return bytes.array();
  }

  /** The names of a module's entry points. */
  static List<String> entries(byte[] module) {
    List<String> names = new ArrayList<>();
    int[] words = words(module);
    for (int at = 5; at < words.length; at += words[at] >>> 16) {
      if ((words[at] & 0xffff) == ENTRY_POINT) {
        StringBuilder name = new StringBuilder();
        for (int i = 4 * (at + 3); module[i] != 0; i++) {
          name.append((char) module[i]);
        }
        names.add(name.toString());
      }
    }
    return names;
  }

  /** The numbers of the capabilities that a module declares. */
  static List<Integer> capabilities(byte[] module) {
    List<Integer> capabilities = new ArrayList<>();
    int[] words = words(module);
    for (int at = 5; at < words.length; at += words[at] >>> 16) {
      if ((words[at] & 0xffff) == CAPABILITY) {
        capabilities.add(words[at + 1]);
      }
    }
    return capabilities;
  }

  /** Has Khronos's validator check a module; skips the test where it is not installed. */
  static void assertValid(byte[] module) throws IOException {
    Path folder = Files.createTempDirectory("jhal-spirv-test");
    Path file = folder.resolve("module.spv");
    Path log = folder.resolve("log");
    try {
      Files.write(file, module);
      assertEquals(0, validate(file, log), () -> text(log));
    } finally {
      Files.deleteIfExists(file);
      Files.deleteIfExists(log);
      Files.delete(folder);
    }
  }

  private static String text(Path log) {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      return e.toString();
    }
  }

  private static int validate(Path file, Path log) throws IOException {
    Process process;
    try {
      process =
          new ProcessBuilder(
                  "spirv-val", "--target-env", "vulkan1.2", "--scalar-block-layout", "" + file)
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
    } catch (IOException e) {
      return abort("spirv-val is not installed (Debian: spirv-tools)");
    }
    try {
      assertTrue(
          process.waitFor(SECONDS, TimeUnit.SECONDS),
          "the test waited " + SECONDS + " s for spirv-val to end");
      return process.exitValue();
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted while spirv-val ran", e);
    } finally {
      process.destroyForcibly();
    }
  }
}
