// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.DeviceInfo;
import org.jhal.ExecutableSource;
import org.jhal.Workgroups;
import org.jhal.driver.CommandList;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.KernelModule;
import org.jhal.driver.MappedRange;
import org.jhal.driver.NativeGroup;
import org.jhal.driver.NativeStream;
import org.jhal.driver.StepwiseStream;
import org.jhal.driver.Submission;
import org.jhal.driver.options.EngineConfig;
import org.jhal.driver.support.PlatformThreads;
import org.jhal.kernels.bundle.KernelSpec;
import org.jhal.kernels.bundle.Variant;
import org.jspecify.annotations.Nullable;

/**
 * A device whose work completes at once. It has no state that an error within a call could damage.
 * It records calls that would break a native runtime: without the device bound, or on a virtual
 * thread.
 */
public final class InstantBackend implements DeviceBackend<Object> {
  private static final ThreadLocal<Boolean> BOUND = ThreadLocal.withInitial(() -> false);

  /** The wrong calls, one line each. */
  public final ConcurrentLinkedQueue<String> misuses = new ConcurrentLinkedQueue<>();

  /** The first step of each call; may throw. */
  public volatile Consumer<String> atCall = call -> {};

  /** The native group of each new group, if set. */
  public @Nullable NativeGroup<Object> natives;

  private final int index; // of the device, in its name

  public InstantBackend() {
    this(0);
  }

  /** A device called {@code instant-INDEX}, which identifies it in the log. */
  public InstantBackend(int index) {
    this.index = index;
  }

  public EngineDevice<Object> open(int queues) {
    return open(queues, Duration.ofSeconds(5));
  }

  public EngineDevice<Object> open(int queues, Duration closeTimeout) {
    return new EngineDevice<>(
        this,
        new EngineConfig(
            queues, 512, 50_000, 0, closeTimeout, closeTimeout, 2, 2, true, true, false),
        List.of());
  }

  @Override
  public NativeGroup<Object> createGroup(List<DeviceBackend<?>> ranks, long patience) {
    check("createGroup");
    NativeGroup<Object> made = natives;
    return made != null ? made : DeviceBackend.super.createGroup(ranks, patience);
  }

  @Override
  public long bindToThread() {
    if (PlatformThreads.isCurrentVirtual()) {
      misuses.add("bound to the virtual thread " + Thread.currentThread());
    }
    boolean before = BOUND.get();
    BOUND.set(true);
    return before ? 1 : 0;
  }

  @Override
  public void unbindFromThread(long token) {
    BOUND.set(token == 1);
  }

  private void check(String call) {
    atCall.accept(call);
    if (!BOUND.get()) {
      misuses.add(call + " without the device bound on " + Thread.currentThread());
    }
  }

  @Override
  public DeviceInfo info() {
    return DeviceInfo.builder("instant", index)
        .name("Instant")
        .uuid("0")
        .memoryBytes(1 << 20)
        .maxWorkgroupCount(new Workgroups(1, 1, 1))
        .maxWorkgroupItems(1)
        .build();
  }

  @Override
  public Set<Capability> capabilities() {
    return Set.of(Capability.HOST_IMPORT, Capability.SHARED_MEMORY);
  }

  @Override
  public Set<String> executableFormats() {
    return Set.of("instant");
  }

  @Override
  public NativeStream<Object> createStream(int index) {
    check("createStream");
    return new Stream();
  }

  @Override
  public DeviceMemory allocate(long bytes, BufferParams params) {
    check("allocate");
    return new Memory(ByteBuffer.allocateDirect((int) bytes));
  }

  @Override
  public DeviceMemory importHost(ByteBuffer memory, BufferParams params) {
    check("importHost");
    return new Memory(memory);
  }

  @Override
  public KernelModule load(ExecutableSource source, Variant variant, List<KernelSpec> kernels) {
    check("load");
    return () -> check("unload");
  }

  @Override
  public void close() {
    check("close");
  }

  private final class Memory implements DeviceMemory {
    private final ByteBuffer bytes;

    Memory(ByteBuffer bytes) {
      this.bytes = bytes;
    }

    @Override
    public long size() {
      return bytes.capacity();
    }

    @Override
    public MappedRange map(long offset, int length) {
      check("map");
      return () -> bytes.slice((int) offset, length);
    }

    @Override
    public void free() {
      check("free");
    }
  }

  private final class Stream extends StepwiseStream<Object> {
    @Override
    public long bindToThread() {
      return InstantBackend.this.bindToThread();
    }

    @Override
    public void unbindFromThread(long token) {
      InstantBackend.this.unbindFromThread(token);
    }

    @Override
    public Object createEvent() {
      check("createEvent");
      return new Object();
    }

    @Override
    public void destroyEvent(Object event) {
      check("destroyEvent");
    }

    @Override
    protected void recordEvent(Object event) {
      check("recordEvent");
    }

    @Override
    protected void waitEvent(Object event) {
      check("waitEvent");
    }

    @Override
    public boolean queryEvent(Object event) {
      check("queryEvent");
      return true;
    }

    @Override
    public void synchronizeEvent(Object event) {
      check("synchronizeEvent");
    }

    @Override
    protected void issue(CommandList commands, Submission submission) {
      check("issue");
    }

    @Override
    protected DeviceMemory allocAsync(long bytes, BufferParams params, Submission submission) {
      check("allocAsync");
      return new Memory(ByteBuffer.allocateDirect((int) bytes));
    }

    @Override
    protected void freeAsync(DeviceMemory memory) {
      check("freeAsync");
    }

    @Override
    public boolean isIdle() {
      check("isIdle");
      return true;
    }

    @Override
    public void close() {
      check("close of a stream");
    }
  }
}
