package org.jhal.gpu;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.gpu.runtime.GpuRuntime;
import org.jhal.spi.NativeCalls;
import org.jspecify.annotations.Nullable;

/**
 * Calls on a {@link GpuRuntime} by handles, as a program makes them that uses the runtime itself.
 *
 * <p>Thread-safe; only one thread at a time may put work into a stream.
 */
final class GpuNativeCalls<S, E, K> implements NativeCalls {
  private final GpuRuntime<S, E, K> runtime;
  private final Map<Long, S> streams = new ConcurrentHashMap<>(); // own and lent ones, by handle
  private final Map<Long, E> events = new ConcurrentHashMap<>(); // own ones, by handle

  // Calls after the device was closed are refused; one that races with closing is the caller's
  // fault.
  private volatile boolean isClosed;

  GpuNativeCalls(GpuRuntime<S, E, K> runtime) {
    this.runtime = runtime;
  }

  /** Makes a stream of the device known. */
  void lend(S stream) {
    streams.put(runtime.streamHandle(stream), stream);
  }

  /** The device is closed: nothing can be called any more. */
  void close() {
    isClosed = true;
  }

  private void checkOpen() {
    if (isClosed) {
      throw new HalException(Status.FAILED_PRECONDITION, "the device is closed");
    }
  }

  private <T> T bound(Supplier<T> call) {
    checkOpen();
    long token = runtime.bindToThread();
    try {
      return call.get();
    } finally {
      runtime.unbindFromThread(token);
    }
  }

  private void runBound(Runnable call) {
    GpuNativeCalls<S, E, K> ignored =
        bound(
            () -> {
              call.run();
              return this;
            });
  }

  private S stream(long handle) {
    return known("stream", streams.get(handle), handle);
  }

  private E event(long handle) {
    return known("event", events.get(handle), handle);
  }

  private static <T> T known(String what, @Nullable T found, long handle) {
    if (found == null) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          what + " " + handle + " was neither made here nor lent by this device");
    }
    return found;
  }

  @Override
  public long allocate(long bytes) {
    return bound(() -> runtime.gate().call(() -> runtime.allocateAlone(bytes)));
  }

  @Override
  public void free(long address) {
    runBound(() -> runtime.gate().run(() -> runtime.freeAlone(address)));
  }

  @Override
  public long createStream() {
    S made = bound(runtime::openStream);
    lend(made);
    return runtime.streamHandle(made);
  }

  @Override
  public void destroyStream(long stream) {
    S ended = stream(stream);
    streams.remove(stream);
    runBound(() -> runtime.closeStream(ended));
  }

  @Override
  public void synchronize(long stream) {
    runBound(() -> runtime.synchronizeStream(stream(stream)));
  }

  @Override
  public void fill(long stream, long address, byte value, long bytes) {
    runBound(() -> runtime.fill(stream(stream), address, value, 1, bytes));
  }

  @Override
  public void copy(long stream, long target, long source, long bytes) {
    runBound(() -> runtime.copy(stream(stream), target, source, bytes));
  }

  @Override
  public long createEvent() {
    E made = bound(() -> runtime.createEvent(false));
    events.put(runtime.eventHandle(made), made);
    return runtime.eventHandle(made);
  }

  @Override
  public void destroyEvent(long event) {
    E ended = event(event);
    events.remove(event);
    runBound(() -> runtime.destroyEvent(ended));
  }

  @Override
  public void record(long event, long stream) {
    runBound(() -> runtime.recordEvent(event(event), stream(stream)));
  }

  @Override
  public void await(long stream, long event) {
    runBound(() -> runtime.waitEvent(stream(stream), event(event)));
  }

  @Override
  public boolean isCurrent() {
    checkOpen();
    return runtime.isCurrent();
  }

  @Override
  public boolean makeNoneCurrent() {
    checkOpen();
    return runtime.makeNoneCurrent();
  }
}
