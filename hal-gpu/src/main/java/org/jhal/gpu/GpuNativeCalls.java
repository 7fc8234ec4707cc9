// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.gpu.runtime.GpuRuntime;
import org.jhal.spi.NativeCalls;

/**
 * Calls on a {@link GpuRuntime} by handles, as a program makes that uses the runtime itself.
 *
 * <p>Thread-safe; only one thread at a time may put work into a stream.
 */
final class GpuNativeCalls implements NativeCalls {
  private final GpuRuntime runtime;
  private final Set<Long> streams = ConcurrentHashMap.newKeySet(); // own and lent ones
  private final Set<Long> events = ConcurrentHashMap.newKeySet(); // own ones

  // Refuses calls after the close. A call that races with the close is the caller's fault.
  private volatile boolean isClosed;

  GpuNativeCalls(GpuRuntime runtime) {
    this.runtime = runtime;
  }

  void lend(long stream) {
    streams.add(stream);
  }

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
    bound(
        () -> {
          call.run();
          return this;
        });
  }

  private long stream(long handle) {
    return known("stream", streams.contains(handle), handle);
  }

  private long event(long handle) {
    return known("event", events.contains(handle), handle);
  }

  private static long known(String what, boolean isKnown, long handle) {
    if (!isKnown) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          what + " " + handle + " was neither made here nor lent by this device");
    }
    return handle;
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
    long made = bound(runtime::openStream);
    lend(made);
    return made;
  }

  @Override
  public void destroyStream(long stream) {
    long ended = known("stream", streams.remove(stream), stream);
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
    long made = bound(() -> runtime.createEvent(false));
    events.add(made);
    return made;
  }

  @Override
  public void destroyEvent(long event) {
    long ended = known("event", events.remove(event), event);
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
