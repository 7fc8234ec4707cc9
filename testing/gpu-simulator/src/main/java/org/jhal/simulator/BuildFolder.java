// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The folder in which libraries are built and kept. */
final class BuildFolder {
  private BuildFolder() {}

  static Path root() throws IOException {
    String property = System.getProperty("gpusim.folder");
    Path target = Path.of("target").toAbsolutePath();
    if (property != null) {
      return Files.createDirectories(Path.of(property).toAbsolutePath());
    }
    if (Files.isDirectory(target)) {
      return Files.createDirectories(target.resolve("gpu-simulator"));
    }
    return privateTemporary();
  }

  /** A folder of this user alone, because libraries in it are loaded and run. */
  private static Path privateTemporary() throws IOException {
    String user = System.getProperty("user.name");
    Path folder = Path.of(System.getProperty("java.io.tmpdir"), "gpu-simulator-" + user);
    if (!Files.exists(folder)) {
      Files.createDirectories(
          folder,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }
    boolean others = Files.getPosixFilePermissions(folder).size() > 3;
    if (others || !Files.getOwner(folder).getName().equals(user) || Files.isSymbolicLink(folder)) {
      throw new IOException(folder + " is not a folder of " + user + " alone");
    }
    return folder.toAbsolutePath();
  }

  static String hash(List<String> command, Map<String, byte[]> files) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(String.join("\0", command).getBytes(StandardCharsets.UTF_8));
      files.forEach(
          (name, bytes) -> {
            digest.update((name + " " + bytes.length).getBytes(StandardCharsets.UTF_8));
            digest.update(bytes);
          });
      return HexFormat.of().formatHex(digest.digest(), 0, 12);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  static void delete(Path folder) throws IOException {
    if (Files.exists(folder)) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }
}
