// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.data;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.jhal.ElementType;
import org.jspecify.annotations.Nullable;

/** Raw bytes of a file, read on demand. */
final class FileRegion implements DataSource {
  private final FileChannel channel;
  private final long start;
  private final long bytes;
  private final @Nullable ElementType type;
  private final @Nullable Shape shape;

  FileRegion(
      FileChannel channel,
      long start,
      long bytes,
      @Nullable ElementType type,
      @Nullable Shape shape) {
    this.channel = channel;
    this.start = start;
    this.bytes = bytes;
    this.type = type;
    this.shape = shape;
  }

  @Override
  public @Nullable ElementType type() {
    return type;
  }

  @Override
  public @Nullable Shape shape() {
    return shape;
  }

  @Override
  public long bytes() {
    return bytes;
  }

  @Override
  public void read(long offset, ByteBuffer target) throws IOException {
    long position = start + offset;
    while (target.hasRemaining()) {
      int count = channel.read(target, position);
      if (count < 0) {
        throw new EOFException("the file has become shorter while it was read");
      }
      position += count;
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
