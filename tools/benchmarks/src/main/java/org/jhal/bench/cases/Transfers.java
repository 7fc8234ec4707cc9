// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases;

import java.util.ArrayList;
import java.util.List;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HostMemory;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.bench.kernel.Touch;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.Quartiles;
import org.jhal.bench.measure.Subject;

/** One transfer, and the host waits for it; each is timed. Host memory is a mapped host buffer. */
public final class Transfers implements Subject {
  /** The throughput, in 10^9 bytes per second of the median. A copy's bytes count once. */
  public static final String THROUGHPUT = "GB/s";

  public static final List<String> METRICS = metrics();

  private static final int WORD = Integer.BYTES;

  /** The kinds of transfer; the raw program uses these names in lower case. */
  public enum Kind {
    COPY("copies on the device"),
    FILL("fills"),
    UPLOAD("uploads from pinned host memory"),
    READBACK("readbacks into pinned host memory");

    /** The description, in plural. */
    public final String plural;

    Kind(String plural) {
      this.plural = plural;
    }
  }

  private final String name;
  private final Device device;
  private final Kind kind;
  private final int bytes;
  private final int steps;
  private final DeviceBuffer source;
  private final DeviceBuffer target;
  private final DeviceBuffer pinned;
  private final DeviceBuffer.Mapping mapping;
  private final HostMemory host;

  /**
   * Allocates the memory.
   *
   * @param bytes a multiple of 4
   * @param steps how many transfers a sample has
   */
  public Transfers(String name, Device device, Kind kind, int bytes, int steps) {
    this.name = name;
    this.device = device;
    this.kind = kind;
    this.bytes = bytes;
    this.steps = steps;
    source = device.allocate(kind == Kind.COPY ? bytes : WORD, BufferParams.DEVICE);
    target = device.allocate(bytes, BufferParams.DEVICE);
    pinned = device.allocate(usesHost() ? bytes : WORD, BufferParams.HOST);
    mapping = pinned.map(DeviceBuffer.MapMode.READ_WRITE);
    host = HostMemory.of(mapping.bytes());
  }

  private boolean usesHost() {
    return kind == Kind.UPLOAD || kind == Kind.READBACK;
  }

  private static List<String> metrics() {
    List<String> metrics = new ArrayList<>(Quartiles.METRICS);
    metrics.add(THROUGHPUT);
    return List.copyOf(metrics);
  }

  /** {@code quartiles} of transfers of {@code bytes}, with the throughput behind them. */
  public static double[] withThroughput(double[] quartiles, long bytes) {
    return new double[] {quartiles[0], quartiles[1], quartiles[2], bytes / quartiles[0]};
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public double[] sample() throws InterruptedException {
    DeviceQueue queue = device.queue(0);
    long[] nanos = new long[steps];
    prepare(queue);
    try (TimelineSemaphore done = device.createSemaphore(0)) {
      for (int i = 0; i < steps; i++) {
        Timepoint signal = done.at(i + 1);
        long start = System.nanoTime();
        submit(queue, signal);
        done.await(i + 1, Bench.DEADLINE);
        nanos[i] = System.nanoTime() - start;
      }
    }
    check();
    return withThroughput(Quartiles.of(nanos), bytes);
  }

  private void submit(DeviceQueue queue, Timepoint signal) {
    switch (kind) {
      case COPY -> queue.copy(Fence.NONE, signal, source, 0, target, 0, bytes);
      case FILL -> queue.fill(Fence.NONE, signal, target, 0, bytes, FillPattern.of32(Touch.VALUE));
      case UPLOAD -> queue.upload(Fence.NONE, signal, host, target, 0);
      case READBACK -> queue.readback(Fence.NONE, signal, target, 0, host);
    }
  }

  /** Sets the last word of the source, and clears that of the target. */
  private void prepare(DeviceQueue queue) throws InterruptedException {
    int last = bytes - WORD;
    FillPattern value = FillPattern.of32(Touch.VALUE);
    try (TimelineSemaphore ready = device.createSemaphore(0)) {
      queue.fill(
          Fence.NONE,
          ready.at(1),
          target,
          last,
          WORD,
          kind == Kind.READBACK ? value : FillPattern.ZERO);
      ready.await(1, Bench.DEADLINE);
      if (kind == Kind.COPY) {
        queue.fill(Fence.NONE, ready.at(2), source, last, WORD, value);
        ready.await(2, Bench.DEADLINE);
      }
    }
    if (usesHost()) {
      mapping.bytes().putInt(last, kind == Kind.UPLOAD ? Touch.VALUE : 0);
      mapping.flush();
    }
  }

  private void check() throws InterruptedException {
    Touch.expect(device, target, bytes - WORD, Touch.VALUE);
    if (kind == Kind.READBACK) {
      mapping.invalidate();
      int word = mapping.bytes().getInt(bytes - WORD);
      if (word != Touch.VALUE) {
        throw new IllegalStateException("the host's memory has " + word + " after a readback");
      }
    }
  }

  @Override
  public void close() {
    mapping.close();
    pinned.close();
    target.close();
    source.close();
  }
}
