// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.DeviceInfo;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.MemoryType;
import org.jhal.Workgroups;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.KernelModule;
import org.jhal.driver.MappedRange;
import org.jhal.driver.NativeStream;
import org.jhal.driver.PreparedCommands;
import org.jhal.driver.options.EngineConfig;
import org.jhal.engine.queue.FakeStream;
import org.jhal.engine.queue.FakeStream.Event;
import org.jhal.engine.queue.FakeStream.FakeDevice;
import org.jhal.kernels.bundle.KernelSpec;
import org.jhal.kernels.bundle.Variant;
import org.jspecify.annotations.Nullable;

/** A device of {@link FakeStream}s for an {@link EngineDevice} with its real threads. */
public final class FakeBackend implements DeviceBackend<Event> {
  private static final ThreadLocal<Integer> BINDINGS = ThreadLocal.withInitial(() -> 0);

  public final FakeDevice device = new FakeDevice();
  public final List<FakeStream> streams = new ArrayList<>();
  public final AtomicInteger liveMemory = new AtomicInteger();
  public @Nullable HalException failsAtStream; // thrown when the second stream is created
  public volatile boolean isClosed;
  public volatile boolean sharesMemory; // with other devices of this kind
  public volatile Runnable atEnableAccess = () -> {};
  public volatile Runnable atFree = () -> {}; // a further step of freeing memory
  public volatile Runnable atUnbind = () -> {}; // runs before a thread is unbound
  public Set<Command.Kind> commands = BASE_COMMANDS;
  public Set<String> formats = Set.of("fake");
  public volatile boolean hasSharedMemory = true;
  public volatile boolean prepares; // reused command buffers
  public volatile Runnable atPrepare = () -> {};
  public final Queue<Runnable> givingBack = new ArrayDeque<>(); // ends the use of imported memory
  private final int index; // of the device, in its name

  public FakeBackend() {
    this(0);
  }

  /** A device called {@code fake-INDEX}, which identifies it in the log. */
  public FakeBackend(int index) {
    this.index = index;
  }

  public EngineDevice<Event> open(int queues, Duration closeTimeout) {
    return new EngineDevice<>(
        this,
        new EngineConfig(queues, 64, 0, 0, closeTimeout, closeTimeout, 2, 2, true, true, false),
        List.of());
  }

  /** Whether this thread has bound the device through the backend rather than a stream. */
  public static boolean isBound() {
    return BINDINGS.get() > 0;
  }

  @Override
  public long bindToThread() {
    device.fail("bindDevice");
    BINDINGS.set(BINDINGS.get() + 1);
    return 0;
  }

  @Override
  public void unbindFromThread(long token) {
    atUnbind.run();
    device.fail("unbindDevice");
    BINDINGS.set(BINDINGS.get() - 1);
  }

  @Override
  public DeviceInfo info() {
    return DeviceInfo.builder("fake", index)
        .name("Fake")
        .uuid("0")
        .memoryBytes(1 << 26)
        .maxAllocationBytes(1 << 24)
        .maxWorkgroupCount(new Workgroups(1, 1, 1))
        .maxWorkgroupItems(64)
        .maxWorkgroupSize(new Workgroups(64, 32, 4))
        .build();
  }

  @Override
  public Set<Capability> capabilities() {
    return Set.of(Capability.HOST_IMPORT, Capability.NATIVE_ACCESS);
  }

  @Override
  public Set<Command.Kind> supportedCommands() {
    return commands;
  }

  @Override
  public Set<String> executableFormats() {
    return formats;
  }

  @Override
  public NativeStream<Event> createStream(int index) {
    if (index == 1 && failsAtStream != null) {
      throw failsAtStream;
    }
    streams.add(new FakeStream(device));
    FakeStream.join(streams);
    return streams.get(index);
  }

  @Override
  public boolean supports(BufferParams params) {
    return params.type() != MemoryType.SHARED || hasSharedMemory;
  }

  private class FakeMemory implements DeviceMemory {
    private final long size;

    FakeMemory(long size) {
      this.size = size;
      liveMemory.incrementAndGet();
    }

    @Override
    public long size() {
      return size;
    }

    @Override
    public MappedRange map(long offset, int length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void free() {
      liveMemory.decrementAndGet();
      atFree.run();
    }
  }

  @Override
  public DeviceMemory allocate(long bytes, BufferParams params) {
    return new FakeMemory(bytes);
  }

  /** Memory that stays in use after its free until the test runs {@link #givingBack}. */
  @Override
  public DeviceMemory importHost(ByteBuffer memory, BufferParams params) {
    return new FakeMemory(memory.capacity()) {
      @Override
      public void free(Runnable then) {
        free();
        givingBack.add(then);
      }
    };
  }

  @Override
  public boolean outcomesCanFail() {
    return device.isAsked();
  }

  @Override
  public @Nullable String noAccess(DeviceBackend<?> owner) {
    return sharesMemory ? null : DeviceBackend.super.noAccess(owner);
  }

  @Override
  public void enableAccess(DeviceBackend<?> owner) {
    atEnableAccess.run();
  }

  @Override
  public KernelModule load(ExecutableSource source, Variant variant, List<KernelSpec> kernels) {
    return () -> {};
  }

  @Override
  public @Nullable PreparedCommands prepare(CommandList list) {
    atPrepare.run();
    return prepares ? () -> {} : null;
  }

  @Override
  public void close() {
    isClosed = true;
  }
}
