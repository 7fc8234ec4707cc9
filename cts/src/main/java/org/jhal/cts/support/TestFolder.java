// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.jhal.DeviceFile;

/** An empty folder for files of a test, deleted after it. */
public final class TestFolder implements AutoCloseable {
  private final Cts cts;
  private final Path path;

  /** Creates a folder. */
  public TestFolder(Cts cts) {
    this.cts = cts;
    try {
      this.path = Files.createTempDirectory("jhal-cts-files");
    } catch (IOException e) {
      throw new UncheckedIOException("cannot create a folder for the test", e);
    }
    cts.closing(this);
  }

  /** The path of a file in the folder, which need not exist. */
  public Path file(String name) {
    return path.resolve(name);
  }

  /** A file in the folder with this content. */
  public Path file(String name, byte[] content) {
    try {
      return Files.write(file(name), content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Opens a file for the device under test, which is closed after the test. */
  public DeviceFile open(Path file, OpenOption... options) {
    return cts.closing(cts.device().openFile(file, options));
  }

  /** Opens a channel, which is closed after the test. */
  public FileChannel channel(Path file, OpenOption... options) {
    try {
      return cts.closing(FileChannel.open(file, options));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What a file contains. */
  public static byte[] content(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    try (Stream<Path> all = Files.walk(path)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(each);
      }
    }
  }
}
