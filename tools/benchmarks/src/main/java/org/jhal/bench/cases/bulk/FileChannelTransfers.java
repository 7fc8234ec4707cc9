// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.bulk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.util.Objects;
import org.jhal.bench.cases.Transfers;
import org.jhal.bench.measure.NotAvailableException;
import org.jhal.bench.measure.Quartiles;
import org.jhal.bench.measure.Subject;
import org.jspecify.annotations.Nullable;

/**
 * A file that one thread reads into a direct buffer, or writes from it, piece by piece, without a
 * device. Each transfer of the whole file is timed.
 */
final class FileChannelTransfers implements Subject {
  /** How reports call it. */
  static final String NAME = "FileChannel";

  private final FileTransfers.Kind kind;
  private final PatternFile file;
  private final int steps;
  private @Nullable ByteBuffer memory; // as large as the file, once it is prepared
  private @Nullable FileChannel channel; // once it is prepared

  /**
   * Makes nothing yet.
   *
   * @param file is deleted when this is closed
   * @param steps how many transfers of the whole file a sample has
   */
  FileChannelTransfers(FileTransfers.Kind kind, PatternFile file, int steps) {
    this.kind = kind;
    this.file = file;
    this.steps = steps;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public void prepare() throws IOException, NotAvailableException {
    try {
      memory = ByteBuffer.allocateDirect(file.bytes()).order(ByteOrder.nativeOrder());
    } catch (OutOfMemoryError e) {
      throw PageableTransfers.noRoom(file.bytes(), e);
    }
    channel = FileChannel.open(file.path(), kind.option);
  }

  @Override
  public double[] sample() throws IOException {
    ByteBuffer memory = Objects.requireNonNull(this.memory);
    FileChannel channel = Objects.requireNonNull(this.channel);
    boolean isRead = kind == FileTransfers.Kind.READ;
    int pattern = file.nextPattern();
    PatternFile.put(memory.clear(), 0, pattern);
    long[] nanos = new long[steps];
    for (int i = 0; i < steps; i++) {
      long start = System.nanoTime();
      for (int at = 0; at < file.bytes(); at += PatternFile.PIECE) {
        memory.limit(Math.min(file.bytes(), at + PatternFile.PIECE)).position(at);
        if (isRead) {
          PatternFile.read(channel, memory, at);
        } else {
          PatternFile.write(channel, memory, at);
        }
      }
      nanos[i] = System.nanoTime() - start;
    }
    if (isRead) {
      PatternFile.expect(memory.clear(), 0, PatternFile.FIRST, "the direct buffer");
    } else {
      file.expect(pattern);
    }
    return Transfers.withThroughput(Quartiles.of(nanos), file.bytes());
  }

  @Override
  public void close() {
    try (file;
        FileChannel opened = channel) {
      memory = null;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
