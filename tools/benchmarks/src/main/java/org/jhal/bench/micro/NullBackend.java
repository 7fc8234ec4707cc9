// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.micro;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceInfo;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.driver.CommandList;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.KernelModule;
import org.jhal.driver.MappedRange;
import org.jhal.driver.NativeStream;
import org.jhal.driver.StepwiseStream;
import org.jhal.driver.Submission;
import org.jhal.driver.options.EngineConfig;
import org.jhal.engine.EngineDevice;
import org.jhal.kernels.bundle.KernelSpec;
import org.jhal.kernels.bundle.Variant;

/**
 * A device that does nothing, so that a submission on it costs the engine's time alone. Its events
 * fire a given time after they were recorded, which stands for the latency of a device.
 *
 * @param latencyNanos 0 if events fire at once
 */
record NullBackend(long latencyNanos) implements DeviceBackend<NullBackend.Event> {
  private static final long SPIN_NANOS = 50_000_000; // a host thread that waits never parks
  private static final long COMPLETION_SPIN_NANOS = 20_000; // the default of the driver for CUDA

  /** A native event. */
  static final class Event {
    private volatile long due;
  }

  /** A device with one queue over such a backend. */
  static Device open(long latencyNanos) {
    return new EngineDevice<>(
        new NullBackend(latencyNanos),
        new EngineConfig(
            1,
            512,
            SPIN_NANOS,
            COMPLETION_SPIN_NANOS,
            Duration.ofSeconds(10),
            Duration.ofSeconds(5),
            1,
            1,
            true,
            true,
            false),
        List.of());
  }

  /** Memory without bytes. */
  private record Memory(long size) implements DeviceMemory {
    @Override
    public MappedRange map(long offset, int length) {
      throw new HalException(Status.UNIMPLEMENTED, "a null device has no memory to map");
    }

    @Override
    public void free() {}
  }

  private static final class Stream extends StepwiseStream<Event> {
    private final long latencyNanos;

    Stream(long latencyNanos) {
      this.latencyNanos = latencyNanos;
    }

    @Override
    public Event createEvent() {
      return new Event();
    }

    @Override
    public void destroyEvent(Event event) {}

    @Override
    protected void recordEvent(Event event) {
      event.due = latencyNanos == 0 ? Long.MIN_VALUE : System.nanoTime() + latencyNanos;
    }

    @Override
    protected void waitEvent(Event event) {}

    @Override
    public boolean queryEvent(Event event) {
      return left(event) <= 0;
    }

    private static long left(Event event) {
      long due = event.due;
      return due == Long.MIN_VALUE ? 0 : due - System.nanoTime();
    }

    @Override
    public void synchronizeEvent(Event event) {
      for (long left = left(event); left > 0; left = left(event)) {
        LockSupport.parkNanos(left);
      }
    }

    @Override
    protected void issue(CommandList commands, Submission submission) {}

    @Override
    protected DeviceMemory allocAsync(long bytes, BufferParams params, Submission submission) {
      return new Memory(bytes);
    }

    @Override
    protected void freeAsync(DeviceMemory memory) {}

    @Override
    public boolean isIdle() {
      return true;
    }

    @Override
    public void close() {}
  }

  @Override
  public DeviceInfo info() {
    return DeviceInfo.builder("null", 0)
        .name("a device that does nothing")
        .uuid("null-0")
        .memoryBytes(1L << 30)
        .maxWorkgroupCount(new Workgroups(1, 1, 1))
        .maxWorkgroupItems(1)
        .build();
  }

  @Override
  public Set<String> executableFormats() {
    return Set.of("java");
  }

  @Override
  public NativeStream<Event> createStream(int index) {
    return new Stream(latencyNanos);
  }

  @Override
  public DeviceMemory allocate(long bytes, BufferParams params) {
    return new Memory(bytes);
  }

  @Override
  public KernelModule load(ExecutableSource source, Variant variant, List<KernelSpec> kernels) {
    return () -> {};
  }

  @Override
  public void close() {}
}
