package org.jhal.driver.faults;

import com.google.common.util.concurrent.Uninterruptibles;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.DeviceInfo;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.Command;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.KernelModule;
import org.jhal.driver.NativeStream;
import org.jhal.driver.bundle.KernelSpec;
import org.jhal.driver.bundle.Variant;
import org.jspecify.annotations.Nullable;

/**
 * A driver's backend in which calls fail on purpose, and which can be lost on purpose, while the
 * device behind it goes on as it is. A call that fails does not reach the driver.
 *
 * <p>Thread-safe, as the backend is.
 *
 * @param <E> the driver's native event
 */
public final class ControlledBackend<E> implements DeviceBackend<E> {
  private static final Set<String> CALLS =
      Set.of(
          "createEvent",
          "recordEvent",
          "waitEvent",
          "queryEvent",
          "synchronizeEvent",
          "issue",
          "hostCompletion",
          "allocAsync",
          "freeAsync",
          "allocate",
          "importHost",
          "load");

  private final DeviceBackend<E> real;
  private final Faults faults = new Faults(CALLS);
  private final List<NativeStream<E>> streams = new CopyOnWriteArrayList<>();
  private final AtomicReference<@Nullable HalException> lost = new AtomicReference<>();
  private final CountDownLatch drained = new CountDownLatch(1); // once the device is lost
  private final ReadWriteLock calls = new ReentrantReadWriteLock(); // read: inside a call
  private volatile Runnable drain = () -> {};

  /** Puts itself in front of {@code real}. */
  public ControlledBackend(DeviceBackend<E> real) {
    this.real = real;
  }

  /** What is behind it. */
  public DeviceBackend<E> real() {
    return real;
  }

  /** The driver's own stream of queue {@code index}. */
  public NativeStream<E> stream(int index) {
    return streams.get(index);
  }

  /** Which calls fail; a failure with status UNAVAILABLE also loses the device. */
  public Faults faults() {
    return faults;
  }

  /**
   * What makes the device behind finish everything that it was given: releases streams that are
   * held, and waits. Run when the device is lost, since it then passes for one that runs nothing
   * any more, and what its work uses may be freed.
   */
  public void setDrain(Runnable drain) {
    this.drain = drain;
  }

  /**
   * From now on all calls fail with {@code cause}, freeing in stream order among them; except those
   * that give back at once what nothing uses, and those that bind threads.
   */
  public void lose(HalException cause) {
    if (lost.compareAndSet(null, cause)) {
      // Who has got past enter() before may still be handing something over.
      calls.writeLock().lock();
      calls.writeLock().unlock();
      try {
        drain.run();
      } catch (HalException e) {
        // The device behind is dead itself, and runs nothing any more.
        if (e != cause) {
          cause.addSuppressed(e);
        }
      } finally {
        drained.countDown();
      }
    }
  }

  /** Throws the cause if the device is lost, once nothing runs on it any more. */
  void checkAlive() {
    HalException cause = lost.get();
    if (cause != null) {
      Uninterruptibles.awaitUninterruptibly(drained);
      throw cause.again();
    }
  }

  /** Makes a call that can fail. */
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
    boolean ignored =
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
  public Set<Command.Kind> supportedCommands() {
    return real.supportedCommands();
  }

  @Override
  public Set<String> executableFormats() {
    return real.executableFormats();
  }

  @Override
  public NativeStream<E> createStream(int index) {
    NativeStream<E> stream = real.createStream(index);
    streams.add(stream);
    return new ControlledStream<>(this, stream);
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
  public KernelModule load(ExecutableSource source, Variant variant, List<KernelSpec> kernels) {
    return call("load", () -> real.load(source, variant, kernels));
  }

  @Override
  public void close() {
    real.close();
  }
}
