// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.data;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.jspecify.annotations.Nullable;

/**
 * Writes beside its target and replaces it in one step, so that half a file is never seen. An
 * existing target that is not a regular file, such as a device or a pipe, is written to directly.
 */
final class OutputFile implements DataSink {
  private final FileChannel channel;
  private final @Nullable Path part; // null when the target is written to directly
  private final Path target;
  private boolean committed;

  private OutputFile(FileChannel channel, @Nullable Path part, Path target) {
    this.channel = channel;
    this.part = part;
    this.target = target;
  }

  static OutputFile create(Path path) throws IOException {
    if (Files.exists(path) && !Files.isRegularFile(path)) {
      return new OutputFile(FileChannel.open(path, WRITE), null, path);
    }
    Path target = Files.exists(path) ? path.toRealPath() : path.toAbsolutePath();
    if (Files.exists(target) && !Files.isWritable(target)) {
      throw new AccessDeniedException(path.toString(), null, "it may not be written");
    }
    Path part =
        target.resolveSibling(
            "." + target.getFileName() + "." + ProcessHandle.current().pid() + ".part");
    return new OutputFile(FileChannel.open(part, WRITE, CREATE_NEW), part, target);
  }

  @Override
  public void write(ByteBuffer source) throws IOException {
    while (source.hasRemaining()) {
      channel.write(source);
    }
  }

  @Override
  public void commit() throws IOException {
    channel.close();
    if (part != null) {
      Files.move(part, target, StandardCopyOption.REPLACE_EXISTING);
    }
    committed = true;
  }

  @Override
  public void close() throws IOException {
    try {
      channel.close(); // fails if the disk reports only now that it is full
    } finally {
      if (part != null && !committed) {
        Files.deleteIfExists(part);
      }
    }
  }
}
