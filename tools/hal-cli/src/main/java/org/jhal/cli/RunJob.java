// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.Kernel;
import org.jhal.TimelineSemaphore;
import org.jhal.cli.RunPlan.Array;
import org.jhal.cli.RunPlan.Binding;
import org.jhal.cli.RunPlan.Constant;
import org.jhal.cli.data.DataFiles;
import org.jhal.cli.data.DataSink;
import org.jhal.cli.data.DataSource;

/**
 * Runs a plan on a device: uploads, dispatch and readbacks on one timeline. Files go through two
 * pieces of host memory in turn, so that they may be larger than memory: while one is transferred,
 * the other is filled or emptied.
 *
 * <p>Not thread-safe.
 */
final class RunJob implements AutoCloseable {
  /** The default size of a piece of host memory in bytes, large enough to hide the overhead. */
  static final int PIECE_BYTES = 64 << 20;

  /**
   * How long one run took.
   *
   * @param submit the call that enqueues the dispatch, in nanoseconds
   * @param device from the start of that call until the host sees that the dispatch is complete, in
   *     nanoseconds
   * @param total everything, including reading and uploading the inputs and reading back the
   *     outputs, in nanoseconds
   */
  record Times(long submit, long device, long total) {}

  private static final class Piece {
    final ByteBuffer bytes;
    long busyUntil; // a value of the timeline

    Piece(int size) {
      bytes = ByteBuffer.allocateDirect(size).order(ByteOrder.nativeOrder());
    }
  }

  private final RunPlan plan;
  private final Kernel kernel;
  private final Duration timeout;
  private final boolean leavesOutputs;
  private final DeviceQueue queue;
  private final TimelineSemaphore timeline;
  private final List<DeviceBuffer> buffers = new ArrayList<>(); // in the order of the plan's arrays
  private final Args args;
  private final Piece[] pieces = new Piece[2];
  private int nextPiece;
  private long value; // the last value of the timeline that an operation signals

  /**
   * Allocates the buffers.
   *
   * @param timeout for each wait
   * @param pieceBytes how large a piece of host memory is, at most
   * @param leavesOutputs whether buffers that the kernel only writes are not filled before, and are
   *     read back even if nobody asks for them: so the device can check them
   * @throws HalException RESOURCE_EXHAUSTED if the device has not enough memory
   */
  RunJob(
      Device device,
      Kernel kernel,
      RunPlan plan,
      Duration timeout,
      int pieceBytes,
      boolean leavesOutputs) {
    this.plan = plan;
    this.leavesOutputs = leavesOutputs;
    this.kernel = kernel;
    this.timeout = timeout;
    queue = device.queue(0);
    timeline = device.createSemaphore(0);
    try {
      List<Object> values = new ArrayList<>();
      long largest = 0;
      for (Binding binding : plan.bindings()) {
        if (binding instanceof Constant constant) {
          values.add(constant.value());
        } else if (binding instanceof Array array) {
          DeviceBuffer buffer = device.allocate(array.bytes(), BufferParams.DEVICE);
          buffers.add(buffer);
          values.add(buffer);
          largest = Math.max(largest, array.bytes());
        }
      }
      args = Args.of(values.toArray());
      for (int i = 0; i < pieces.length; i++) {
        pieces[i] = new Piece((int) Math.min(largest, pieceBytes));
      }
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  /**
   * Runs once.
   *
   * @param measured whether to wait for the uploads before the dispatch and for the dispatch before
   *     the readbacks, so that its time is measured alone
   * @param last whether the outputs are written
   * @throws HalException the failure of the work; DEADLINE_EXCEEDED if a wait takes longer than the
   *     timeout; DATA_LOSS or another if a file fails, RESOURCE_EXHAUSTED if a disk is full
   * @throws InterruptedException if the thread is interrupted
   */
  Times run(boolean measured, boolean last) throws InterruptedException {
    long begin = System.nanoTime();
    List<Array> arrays = arrays();
    for (int i = 0; i < arrays.size(); i++) {
      upload(arrays.get(i), buffers.get(i));
    }
    if (measured) {
      timeline.await(value, timeout);
    }
    long dispatch = System.nanoTime();
    queue.dispatch(timeline.at(value), timeline.at(value + 1), kernel, plan.groups(), args);
    value++;
    long submitted = System.nanoTime();
    if (measured) {
      timeline.await(value, timeout);
    }
    long complete = System.nanoTime();
    for (int i = 0; i < arrays.size(); i++) {
      readback(arrays.get(i), buffers.get(i), last);
    }
    timeline.await(value, timeout);
    return new Times(submitted - dispatch, complete - dispatch, System.nanoTime() - begin);
  }

  private List<Array> arrays() {
    return plan.bindings().stream().filter(Array.class::isInstance).map(Array.class::cast).toList();
  }

  /** Whether a buffer is left as it is until the kernel writes it. */
  private boolean isLeft(Array array) {
    return leavesOutputs && !array.parameter().isRead();
  }

  private void upload(Array array, DeviceBuffer buffer) throws InterruptedException {
    DataSource source = array.source();
    if (isLeft(array)) {
      return;
    }
    if (source == null) {
      queue.fill(
          timeline.at(value), timeline.at(value + 1), buffer, 0, buffer.size(), FillPattern.of8(0));
      value++;
      return;
    }
    for (long offset = 0; offset < buffer.size(); ) {
      Piece piece = freePiece(buffer.size() - offset);
      try {
        source.read(offset, piece.bytes);
      } catch (IOException e) {
        throw DataFiles.failure("cannot read '" + array.parameter().name() + "'", e);
      }
      piece.bytes.flip();
      queue.upload(timeline.at(value), timeline.at(value + 1), piece.bytes, buffer, offset);
      piece.busyUntil = ++value;
      offset += piece.bytes.remaining();
    }
  }

  private void readback(Array array, DeviceBuffer buffer, boolean last)
      throws InterruptedException {
    DataSink sink = array.sink();
    if (sink == null && !isLeft(array)) {
      return;
    }
    try {
      Piece before = null;
      for (long offset = 0; offset < buffer.size(); ) {
        Piece piece = freePiece(buffer.size() - offset);
        queue.readback(timeline.at(value), timeline.at(value + 1), buffer, offset, piece.bytes);
        piece.busyUntil = ++value;
        offset += piece.bytes.remaining();
        if (before != null && sink != null && last) {
          take(before, sink);
        }
        before = piece;
      }
      if (before != null && sink != null && last) {
        take(before, sink);
      }
      if (sink != null && last) {
        sink.commit();
      }
    } catch (IOException e) {
      throw DataFiles.failure("cannot write '" + array.path() + "'", e);
    }
  }

  private void take(Piece piece, DataSink sink) throws IOException, InterruptedException {
    timeline.await(piece.busyUntil, timeout);
    sink.write(piece.bytes);
  }

  /** A piece that no operation uses any more, with room for at most {@code bytes} bytes. */
  private Piece freePiece(long bytes) throws InterruptedException {
    Piece piece = pieces[nextPiece];
    nextPiece = 1 - nextPiece;
    timeline.await(piece.busyUntil, timeout);
    piece.bytes.clear().limit((int) Math.min(bytes, piece.bytes.capacity()));
    return piece;
  }

  /** Closes the buffers; work in flight keeps what it uses. */
  @Override
  public void close() {
    buffers.forEach(DeviceBuffer::close);
    timeline.close();
  }
}
