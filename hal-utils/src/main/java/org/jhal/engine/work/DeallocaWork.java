package org.jhal.engine.work;

import java.util.Objects;
import org.jhal.DeviceBuffer;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.NativeStream;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.memory.BufferStorage;
import org.jhal.engine.memory.EngineBuffer;
import org.jspecify.annotations.Nullable;

/** The work of an operation that frees memory from an alloca in stream order. */
public final class DeallocaWork<E> extends QueueWork<E> {
  // Null once the operation retires. Until then the buffer stays reachable, so that it is not
  // reported as a leak.
  private @Nullable EngineBuffer deallocated;

  public DeallocaWork(DeviceCore<E> device) {
    super(device);
  }

  public void dealloca(DeviceBuffer buffer) {
    EngineBuffer own = EngineBuffer.of(device, "buffer", buffer);
    if (!own.storage.isTransient || own.isSlice()) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          own
              + " cannot be deallocated: it is "
              + (own.isSlice() ? "a slice" : "not from an alloca; close it instead"));
    }
    deallocated = own;
    retainStorage(own.storage);
  }

  @Override
  protected boolean issueMayBlock(NativeStream<E> stream) {
    return false;
  }

  @Override
  protected void issue(NativeStream<E> stream) {
    BufferStorage storage = Objects.requireNonNull(deallocated).storage;
    DeviceMemory memory = storage.beginDealloca();
    boolean isFreed = false;
    try {
      stream.freeAsync(memory);
      isFreed = true;
    } finally {
      if (!isFreed) {
        storage.undoDealloca();
      }
    }
    storage.endDealloca();
  }

  @Override
  protected void retired() {
    deallocated = null;
  }

  @Override
  public String kind() {
    return "dealloca";
  }
}
