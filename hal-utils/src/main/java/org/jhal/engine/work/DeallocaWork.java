// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.work;

import java.util.Objects;
import org.jhal.DeviceBuffer;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.NativeStream;
import org.jhal.driver.StreamBatch;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.hazard.RecordedOperation;
import org.jhal.engine.hazard.Use;
import org.jhal.engine.memory.BufferStorage;
import org.jhal.engine.memory.EngineBuffer;
import org.jhal.engine.queue.Batch;
import org.jspecify.annotations.Nullable;

/** The work of an operation that frees memory from an alloca in stream order. */
public final class DeallocaWork<E> extends QueueWork<E> implements StreamBatch.Deallocation {
  // Null once the operation retires. Keeps the buffer reachable, as it would count as leaked.
  private @Nullable EngineBuffer deallocated;

  private @Nullable DeviceMemory memory; // being issued, until the driver has taken it

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
  protected @Nullable Throwable issue(NativeStream<E> stream, Batch<E> batch) {
    BufferStorage storage = storage();
    memory = storage.beginDealloca();
    try {
      return batch.free(this, this).submitTo(stream);
    } finally {
      if (memory != null) { // the driver has not taken it
        memory = null;
        storage.undoDealloca();
      }
    }
  }

  private BufferStorage storage() {
    return Objects.requireNonNull(deallocated).storage;
  }

  @Override
  public DeviceMemory memory() {
    return Objects.requireNonNull(memory);
  }

  @Override
  public void taken() {
    memory = null;
    storage().endDealloca();
  }

  @Override
  protected void recordUses(RecordedOperation recorded) {
    BufferStorage storage = storage();
    recorded.touches(storage.touched(), 0, storage.size, Use.FREE, "");
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
