// SPDX-License-Identifier: Apache-2.0
package org.jhal.testkit;

import com.google.common.util.concurrent.Uninterruptibles;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.DeviceInfo;
import org.jhal.ExecutableSource;
import org.jhal.Global;
import org.jhal.GraphStatistics;
import org.jhal.HalException;
import org.jhal.QueueRequest;
import org.jhal.Status;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.GrantedStream;
import org.jhal.driver.KernelModule;
import org.jhal.driver.NativeGroup;
import org.jhal.driver.NativeStream;
import org.jhal.driver.PreparedCommands;
import org.jhal.driver.support.Faults;
import org.jhal.kernels.bundle.KernelSpec;
import org.jhal.kernels.bundle.Variant;
import org.jspecify.annotations.Nullable;

/**
 * Wraps a driver's backend so that tests can make its calls fail and lose the device, while the
 * real device continues. A failing call does not reach the driver.
 *
 * <p>Thread-safe, as every backend is.
 *
 * @param <E> the driver's native event
 */
public final class ControlledBackend<E> implements DeviceBackend<E> {
  private static final List<String> CALLS =
      List.of(
          ("createEvent submit recordEvent waitEvent queryEvent synchronizeEvent issue"
                  + " hostCompletion allocAsync freeAsync allocate importHost importDevice"
                  + " enableAccess load")
              .split(" "));

  private final DeviceBackend<E> real;
  private final Faults faults;
  private final Map<Integer, NativeStream<E>> streams = new ConcurrentSkipListMap<>(); // by index
  private final AtomicReference<@Nullable HalException> lost = new AtomicReference<>();
  private final CountDownLatch drained = new CountDownLatch(1); // zero when the lost device is idle
  private final ReadWriteLock calls = new ReentrantReadWriteLock(); // read-locked during each call
  private volatile Runnable drain = () -> {};

  /** Wraps {@code real}. */
  public ControlledBackend(DeviceBackend<E> real) {
    this.real = real;
    Set<String> calls = new HashSet<>(CALLS);
    if (real.outcomesCanFail()) {
      calls.add("outcome");
    }
    this.faults = new Faults(calls);
  }

  /** The driver's own backend. */
  public DeviceBackend<E> real() {
    return real;
  }

  /** The driver's own backend of a device, which may be wrapped as this one is. */
  private static DeviceBackend<?> real(DeviceBackend<?> backend) {
    return backend instanceof ControlledBackend<?> controlled ? controlled.real : backend;
  }

  @Override
  public @Nullable Object eventDomain() {
    return real.eventDomain(); // its streams use the driver's events
  }

  @Override
  public boolean outcomesCanFail() {
    return real.outcomesCanFail();
  }

  @Override
  public @Nullable String noAccess(DeviceBackend<?> owner) {
    return real.noAccess(real(owner));
  }

  @Override
  public void enableAccess(DeviceBackend<?> owner) {
    run("enableAccess", () -> real.enableAccess(real(owner)));
  }

  /**
   * The indexes of the streams that are not closed: one for each queue, then hidden ones for
   * groups, if any, and then those of acquired queues.
   */
  public List<Integer> streams() {
    return List.copyOf(streams.keySet());
  }

  /** The driver's own stream of queue {@code index}. */
  public NativeStream<E> stream(int index) {
    NativeStream<E> stream = streams.get(index);
    if (stream == null) {
      throw new HalException(Status.NOT_FOUND, "there is no stream " + index);
    }
    return stream;
  }

  /** A stream has been closed. */
  void remove(NativeStream<E> stream) {
    streams.values().remove(stream);
  }

  /** The calls that fail; a failure with status UNAVAILABLE also loses the device. */
  public Faults faults() {
    return faults;
  }

  /**
   * Sets the step that makes the real device finish all its work: it releases held streams, and
   * waits. It runs when the device is lost, because the engine may free what a lost device uses. It
   * runs twice if a call is in progress then.
   */
  public void setDrain(Runnable drain) {
    this.drain = drain;
  }

  /**
   * Loses the device: from now on all calls fail with {@code cause}, including frees in stream
   * order. Calls that bind threads or release unused objects immediately still work.
   */
  public void lose(HalException cause) {
    if (lost.compareAndSet(null, cause)) {
      try {
        // Calls past checkAlive() may still be putting work into a stream. A call that blocks on a
        // full stream returns only once that stream is released.
        if (!calls.writeLock().tryLock()) {
          drain(cause);
          calls.writeLock().lock();
        }
        calls.writeLock().unlock();
        drain(cause);
      } finally {
        drained.countDown();
      }
    }
  }

  private void drain(HalException cause) {
    try {
      drain.run();
    } catch (HalException e) {
      // The real device is lost, too, and runs nothing.
      if (e != cause) {
        cause.addSuppressed(e);
      }
    }
  }

  /** If the device is lost, waits until it runs nothing, and throws the cause. */
  void checkAlive() {
    HalException cause = lost.get();
    if (cause != null) {
      Uninterruptibles.awaitUninterruptibly(drained);
      throw cause.again();
    }
  }

  <T> T call(String name, Supplier<T> body) {
    checkAlive();
    HalException failure = null;
    calls.readLock().lock();
    try {
      if (lost.get() == null) {
        faults.check(name);
        return body.get();
      }
    } catch (HalException e) {
      failure = e;
    } finally {
      calls.readLock().unlock();
    }
    if (failure == null) {
      checkAlive();
      throw new IllegalStateException("lost without a cause");
    }
    if (failure.status() == Status.UNAVAILABLE) {
      lose(failure);
    }
    throw failure;
  }

  void run(String name, Runnable body) {
    call(
        name,
        () -> {
          body.run();
          return true;
        });
  }

  @Override
  public long bindToThread() {
    return real.bindToThread();
  }

  @Override
  public void unbindFromThread(long token) {
    real.unbindFromThread(token);
  }

  @Override
  public DeviceInfo info() {
    return real.info();
  }

  @Override
  public Set<Capability> capabilities() {
    return real.capabilities();
  }

  @Override
  public String noCooperation() {
    return real.noCooperation();
  }

  @Override
  public Set<Command.Kind> supportedCommands() {
    return real.supportedCommands();
  }

  @Override
  public Set<String> executableFormats() {
    return real.executableFormats();
  }

  @Override
  public String refusal(String format) {
    return real.refusal(format);
  }

  @Override
  public int rank(Variant variant) {
    return real.rank(variant);
  }

  @Override
  public NativeStream<E> createStream(int index) {
    NativeStream<E> stream = real.createStream(index);
    streams.put(index, stream);
    return new ControlledStream<>(this, stream);
  }

  @Override
  public GrantedStream<E> acquireStream(int index, QueueRequest request) {
    GrantedStream<E> granted = real.acquireStream(index, request);
    streams.put(index, granted.stream());
    return new GrantedStream<>(new ControlledStream<>(this, granted.stream()), granted.grant());
  }

  @Override
  public String noShares() {
    return real.noShares();
  }

  @Override
  public boolean supports(BufferParams params) {
    return real.supports(params);
  }

  @Override
  public DeviceMemory allocate(long bytes, BufferParams params) {
    return call("allocate", () -> real.allocate(bytes, params));
  }

  @Override
  public DeviceMemory importHost(ByteBuffer memory, BufferParams params) {
    return call("importHost", () -> real.importHost(memory, params));
  }

  @Override
  public DeviceMemory importDevice(long address, long bytes) {
    return call("importDevice", () -> real.importDevice(address, bytes));
  }

  @Override
  public List<Object> views() {
    return real.views();
  }

  @Override
  public NativeGroup<E> createGroup(List<DeviceBackend<?>> ranks, long patience) {
    return new ControlledGroup<>(
        real.createGroup(
            ranks.stream().<DeviceBackend<?>>map(ControlledBackend::real).toList(), patience));
  }

  @Override
  public KernelModule load(ExecutableSource source, Variant variant, List<KernelSpec> kernels) {
    return load(source, variant, kernels, List.of());
  }

  @Override
  public KernelModule load(
      ExecutableSource source, Variant variant, List<KernelSpec> kernels, List<Global> globals) {
    return call("load", () -> real.load(source, variant, kernels, globals));
  }

  @Override
  public DeviceMemory global(KernelModule module, int index) {
    return real.global(module, index);
  }

  @Override
  public @Nullable PreparedCommands prepare(CommandList commands) {
    return real.prepare(commands);
  }

  @Override
  public GraphStatistics graphs() {
    return real.graphs();
  }

  /**
   * Not passed on: a stream that is held stands for work that hangs in a runtime whose other
   * streams do not get past it, so that the engine's own deadline for them is tested.
   */
  @Override
  public void abandon() {}

  @Override
  public void close() {
    real.close();
  }
}
