// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run.report;

import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The hash of code that was run.
 *
 * @param sha256 64 hexadecimal digits, or {@link #UNKNOWN}
 * @param what describes what was hashed, for people
 */
public record CodeHash(String sha256, String what) {
  /** The hash of code that is neither in a jar nor in a folder, or cannot be read. */
  static final String UNKNOWN = "unknown";

  /** The hash of the jar, or the folder of classes, that {@code type} was loaded from. */
  public static CodeHash of(Class<?> type) {
    CodeSource source = type.getProtectionDomain().getCodeSource();
    if (source == null || source.getLocation() == null) {
      return new CodeHash(UNKNOWN, "an unknown place: its class loader does not report it");
    }
    try {
      return of(Path.of(source.getLocation().toURI()));
    } catch (IOException | URISyntaxException | RuntimeException e) {
      return new CodeHash(UNKNOWN, source.getLocation() + ", which cannot be read: " + e);
    }
  }

  /** The hash of the folder with this path. */
  public static CodeHash ofFolder(String path) {
    try {
      return of(Path.of(path));
    } catch (IOException | RuntimeException e) {
      return new CodeHash(UNKNOWN, path + ", which cannot be read: " + e);
    }
  }

  /**
   * The SHA-256 of a file is that of its bytes. That of a folder is computed over its files, sorted
   * by their paths within the folder: for each file, the length of the path, the path, the length
   * of the content, and the content. Paths use slashes and are encoded in UTF-8. Lengths are in
   * bytes, and are written as 8 bytes, big-endian.
   */
  static CodeHash of(Path jarOrFolder) throws IOException {
    MessageDigest digest = digest();
    Path name = jarOrFolder.toAbsolutePath().normalize().getFileName();
    try (DataOutputStream sink =
        new DataOutputStream(new DigestOutputStream(OutputStream.nullOutputStream(), digest))) {
      if (!Files.isDirectory(jarOrFolder)) {
        Files.copy(jarOrFolder, sink);
        return new CodeHash(hex(digest), "the jar " + name);
      }
      Map<String, Path> files = files(jarOrFolder);
      for (Map.Entry<String, Path> file : files.entrySet()) {
        byte[] path = file.getKey().getBytes(StandardCharsets.UTF_8);
        sink.writeLong(path.length);
        sink.write(path);
        byte[] content = Files.readAllBytes(file.getValue());
        sink.writeLong(content.length);
        sink.write(content);
      }
      return new CodeHash(hex(digest), "the " + files.size() + " files of the folder " + name);
    }
  }

  private static Map<String, Path> files(Path folder) throws IOException {
    Map<String, Path> files = new TreeMap<>();
    try (Stream<Path> all = Files.walk(folder)) {
      all.filter(Files::isRegularFile)
          .forEach(
              file ->
                  files.put(
                      folder
                          .relativize(file)
                          .toString()
                          .replace(file.getFileSystem().getSeparator(), "/"),
                      file));
    }
    return files;
  }

  private static String hex(MessageDigest digest) {
    return HexFormat.of().formatHex(digest.digest());
  }

  private static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("each Java has SHA-256", e);
    }
  }
}
