// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.work;

import java.util.Objects;
import org.jhal.BufferParams;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.NativeStream;
import org.jhal.driver.StreamBatch;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.hazard.RecordedOperation;
import org.jhal.engine.hazard.Use;
import org.jhal.engine.memory.BufferStorage;
import org.jhal.engine.memory.EngineAllocator;
import org.jhal.engine.memory.EnginePool;
import org.jhal.engine.memory.PoolCharge;
import org.jhal.engine.queue.Batch;
import org.jhal.engine.queue.Operation;
import org.jspecify.annotations.Nullable;

/** The work of an allocation in stream order. */
public final class AllocaWork<E> extends QueueWork<E> implements StreamBatch.Allocation {
  private @Nullable BufferStorage allocation; // null once the operation retires

  private @Nullable BufferStorage
      first; // with a reference, until the user's buffer takes that over

  private @Nullable PoolCharge charge; // set by the enqueuing thread, as the others

  public AllocaWork(DeviceCore<E> device) {
    super(device);
  }

  /** Allocates within the budget of {@code pool}, if there is one. */
  public BufferStorage alloca(long bytes, BufferParams params, @Nullable EnginePool pool) {
    EngineAllocator.checkType(device, bytes, params);
    charge = pool == null ? null : new PoolCharge(pool, bytes);
    BufferStorage storage = BufferStorage.promised(device, params, bytes, charge);
    retainStorage(storage);
    allocation = storage;
    first = storage;
    return storage;
  }

  /** The user's buffer has the first reference to what {@link #alloca} has returned. */
  public void handedOver() {
    first = null;
  }

  @Override
  public boolean needsAdmission() {
    return charge != null && charge.mayWait();
  }

  /** Then the host sees all waits reached before it asks for a part of the budget. */
  @Override
  public boolean waitsOnHost() {
    return needsAdmission();
  }

  @Override
  public boolean admit(Operation<E> own) {
    return charge == null
        || charge.admit(() -> own.queue.admitted(own), reason -> own.queue.failOpen(own, reason));
  }

  @Override
  protected boolean issueMayBlock(NativeStream<E> stream) {
    return stream.allocMayBlock(Objects.requireNonNull(allocation).params);
  }

  @Override
  protected @Nullable Throwable issue(NativeStream<E> stream, Batch<E> batch) {
    EngineAllocator.checkLargest(device, bytes(), params());
    if (charge != null) {
      charge.take();
    }
    return batch.allocate(this, this).submitTo(stream);
  }

  @Override
  public long bytes() {
    return Objects.requireNonNull(allocation).size;
  }

  @Override
  public BufferParams params() {
    return Objects.requireNonNull(allocation).params;
  }

  @Override
  public void allocated(DeviceMemory memory) {
    Objects.requireNonNull(allocation).commit(memory);
  }

  @Override
  protected void recordUses(RecordedOperation recorded) {
    BufferStorage storage = Objects.requireNonNull(allocation);
    recorded.touches(storage.touched(), 0, storage.size, Use.ALLOCATE, "");
  }

  @Override
  protected void failing() {
    if (charge != null) {
      charge.endUnlessHeld();
    }
  }

  @Override
  protected void retired() {
    allocation = null;
    BufferStorage unused = first;
    if (unused != null) {
      first = null;
      unused.release();
    }
  }

  @Override
  public String kind() {
    return "alloca";
  }

  @Override
  public String describe() {
    PoolCharge own = charge;
    return own == null ? kind() : kind() + own.describe();
  }
}
