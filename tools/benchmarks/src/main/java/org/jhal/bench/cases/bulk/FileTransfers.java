// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.bulk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Objects;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceFile;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HostMemory;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.bench.cases.Transfers;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.NotAvailableException;
import org.jhal.bench.measure.Quartiles;
import org.jhal.bench.measure.Subject;
import org.jspecify.annotations.Nullable;

/** One transfer between a file and a buffer, and the host waits for it; each is timed. */
final class FileTransfers implements Subject {
  /** Which way. */
  enum Kind {
    READ(StandardOpenOption.READ, PageableTransfers.Kind.UPLOAD),
    WRITE(StandardOpenOption.WRITE, PageableTransfers.Kind.READBACK);

    /** How the file is opened. */
    final OpenOption option;

    /** The corresponding transfer of host memory, without the file. */
    final PageableTransfers.Kind half;

    Kind(OpenOption option, PageableTransfers.Kind half) {
      this.option = option;
      this.half = half;
    }

    /** As the cases call it. */
    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final Device device;
  private final Kind kind;
  private final PatternFile file;
  private final int steps;
  private @Nullable DeviceBuffer buffer; // once it is prepared
  private @Nullable DeviceFile opened; // once it is prepared

  /**
   * Makes nothing yet.
   *
   * @param file is deleted when this is closed
   * @param steps how many transfers of the whole file a sample has
   */
  FileTransfers(Device device, Kind kind, PatternFile file, int steps) {
    this.device = device;
    this.kind = kind;
    this.file = file;
    this.steps = steps;
  }

  @Override
  public String name() {
    return JHAL;
  }

  @Override
  public void prepare() throws NotAvailableException {
    opened = device.openFile(file.path(), kind.option);
    buffer = device.allocate(file.bytes(), BufferParams.DEVICE);
  }

  @Override
  public double[] sample() throws InterruptedException, IOException {
    DeviceQueue queue = device.queue(0);
    DeviceBuffer buffer = Objects.requireNonNull(this.buffer);
    DeviceFile opened = Objects.requireNonNull(this.opened);
    boolean isRead = kind == Kind.READ;
    int pattern = isRead ? PatternFile.FIRST : file.nextPattern();
    if (isRead) {
      clear(queue, buffer);
    } else {
      upload(queue, buffer, pattern);
    }
    long[] nanos = new long[steps];
    try (TimelineSemaphore done = device.createSemaphore(0)) {
      for (int i = 0; i < steps; i++) {
        Timepoint signal = done.at(i + 1);
        long start = System.nanoTime();
        if (isRead) {
          queue.read(Fence.NONE, signal, opened, 0, buffer, 0, file.bytes());
        } else {
          queue.write(Fence.NONE, signal, opened, 0, buffer, 0, file.bytes());
        }
        done.await(i + 1, Bench.DEADLINE);
        nanos[i] = System.nanoTime() - start;
      }
    }
    if (isRead) {
      expect(queue, buffer, pattern);
    } else {
      file.expect(pattern);
    }
    return Transfers.withThroughput(Quartiles.of(nanos), file.bytes());
  }

  private void clear(DeviceQueue queue, DeviceBuffer buffer) throws InterruptedException {
    try (TimelineSemaphore done = device.createSemaphore(0)) {
      queue.fill(Fence.NONE, done.at(1), buffer, 0, file.bytes(), FillPattern.ZERO);
      done.await(1, Bench.DEADLINE);
    }
  }

  private void upload(DeviceQueue queue, DeviceBuffer buffer, int pattern)
      throws InterruptedException {
    ByteBuffer piece = file.newPiece();
    try (TimelineSemaphore done = device.createSemaphore(0)) {
      for (int at = 0; at < file.bytes(); at += PatternFile.PIECE) {
        PatternFile.put(file.limited(piece, at), at, pattern);
        int value = at / PatternFile.PIECE + 1;
        queue.upload(Fence.NONE, done.at(value), HostMemory.of(piece), buffer, at);
        done.await(value, Bench.DEADLINE);
      }
    }
  }

  private void expect(DeviceQueue queue, DeviceBuffer buffer, int pattern)
      throws InterruptedException {
    ByteBuffer piece = file.newPiece();
    try (TimelineSemaphore done = device.createSemaphore(0)) {
      for (int at = 0; at < file.bytes(); at += PatternFile.PIECE) {
        file.limited(piece, at);
        int value = at / PatternFile.PIECE + 1;
        queue.readback(Fence.NONE, done.at(value), buffer, at, HostMemory.of(piece));
        done.await(value, Bench.DEADLINE);
        PatternFile.expect(piece, at, pattern, "the device's memory");
      }
    }
  }

  @Override
  public void close() {
    if (opened != null) {
      opened.close();
    }
    if (buffer != null) {
      buffer.close();
    }
    file.close();
  }
}
