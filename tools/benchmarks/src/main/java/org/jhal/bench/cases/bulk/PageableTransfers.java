// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.bulk;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Locale;
import java.util.Objects;
import java.util.function.IntConsumer;
import java.util.function.IntSupplier;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HostMemory;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.bench.cases.Transfers;
import org.jhal.bench.kernel.Touch;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.NotAvailableException;
import org.jhal.bench.measure.Quartiles;
import org.jhal.bench.measure.Subject;
import org.jspecify.annotations.Nullable;

/** One transfer of ordinary memory, and the host waits for it; each is timed. */
final class PageableTransfers implements Subject {
  /** Which way. */
  enum Kind {
    UPLOAD,
    READBACK;

    /** As the cases and the raw program call it. */
    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The kind of memory on the host. */
  enum Memory {
    ARRAY("float[]") {
      @Override
      Host make(int bytes) {
        float[] array = new float[bytes / Float.BYTES];
        int last = array.length - 1;
        return new Host(
            HostMemory.of(array),
            () -> Float.floatToRawIntBits(array[last]),
            word -> array[last] = Float.intBitsToFloat(word));
      }
    },
    DIRECT("direct") {
      @Override
      Host make(int bytes) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
        int last = bytes - Integer.BYTES;
        return new Host(
            HostMemory.of(buffer), () -> buffer.getInt(last), word -> buffer.putInt(last, word));
      }
    };

    /** As rows call it. */
    final String label;

    Memory(String label) {
      this.label = label;
    }

    /** Allocates it, zeroed; {@code bytes} is a multiple of 4. */
    abstract Host make(int bytes);
  }

  /**
   * Memory of the host.
   *
   * @param last reads its last word
   * @param setLast writes its last word
   */
  private record Host(HostMemory memory, IntSupplier last, IntConsumer setLast) {}

  private final String name;
  private final Device device;
  private final Kind kind;
  private final Memory memory;
  private final int bytes;
  private final int steps;
  private @Nullable Host host; // once it is prepared
  private @Nullable DeviceBuffer buffer; // once it is prepared

  /**
   * Allocates nothing yet.
   *
   * @param name how reports call it
   * @param bytes a multiple of 4
   * @param steps how many transfers a sample has
   */
  PageableTransfers(String name, Device device, Kind kind, Memory memory, int bytes, int steps) {
    this.name = name;
    this.device = device;
    this.kind = kind;
    this.memory = memory;
    this.bytes = bytes;
    this.steps = steps;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void prepare() throws NotAvailableException {
    try {
      host = memory.make(bytes);
    } catch (OutOfMemoryError e) {
      throw noRoom(bytes, e);
    }
    buffer = device.allocate(bytes, BufferParams.DEVICE);
  }

  /** Reports that {@code bytes} could not be allocated on the host. */
  static NotAvailableException noRoom(int bytes, OutOfMemoryError e) {
    return new NotAvailableException(
        "this JVM has no room for "
            + bytes
            + " bytes more: "
            + e.getMessage()
            + " (see the options -Xmx and -XX:MaxDirectMemorySize of java)");
  }

  @Override
  public double[] sample() throws InterruptedException {
    DeviceQueue queue = device.queue(0);
    Host host = Objects.requireNonNull(this.host);
    DeviceBuffer buffer = Objects.requireNonNull(this.buffer);
    int last = bytes - Integer.BYTES;
    boolean isUpload = kind == Kind.UPLOAD;
    host.setLast().accept(isUpload ? Touch.VALUE : 0);
    long[] nanos = new long[steps];
    try (TimelineSemaphore done = device.createSemaphore(0)) {
      FillPattern before = isUpload ? FillPattern.ZERO : FillPattern.of32(Touch.VALUE);
      queue.fill(Fence.NONE, done.at(1), buffer, last, Integer.BYTES, before);
      done.await(1, Bench.DEADLINE);
      for (int i = 0; i < steps; i++) {
        Timepoint signal = done.at(i + 2);
        long start = System.nanoTime();
        if (isUpload) {
          queue.upload(Fence.NONE, signal, host.memory(), buffer, 0);
        } else {
          queue.readback(Fence.NONE, signal, buffer, 0, host.memory());
        }
        done.await(i + 2, Bench.DEADLINE);
        nanos[i] = System.nanoTime() - start;
      }
    }
    Touch.expect(device, buffer, last, Touch.VALUE);
    if (host.last().getAsInt() != Touch.VALUE) {
      throw new IllegalStateException(
          "the host's memory has " + host.last().getAsInt() + " after the transfers");
    }
    return Transfers.withThroughput(Quartiles.of(nanos), bytes);
  }

  @Override
  public void close() {
    if (buffer != null) {
      buffer.close();
    }
    host = null;
  }
}
