// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.memory;

import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.Supplier;
import org.jhal.Allocator;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.DeviceBuffer;
import org.jhal.HalException;
import org.jhal.MemoryType;
import org.jhal.Status;
import org.jhal.driver.DeviceBackend;
import org.jhal.engine.base.DeviceCore;
import org.jspecify.annotations.Nullable;

/** The allocator of a device. */
public final class EngineAllocator implements Allocator {
  private final DeviceCore<?> device;
  private final DeviceBackend<?> backend;

  public EngineAllocator(DeviceCore<?> device) {
    this.device = device;
    this.backend = device.backend();
  }

  /** Refuses a size below 0, and memory of a type that the device does not have. */
  public static void checkType(DeviceCore<?> device, long bytes, BufferParams params) {
    Objects.requireNonNull(params, "params");
    if (bytes < 0) {
      throw new HalException(Status.OUT_OF_RANGE, "buffer size " + bytes + " is negative");
    }
    if (!device.backend().supports(params)) {
      throw new HalException(
          Status.UNIMPLEMENTED, device.name() + " has no memory of type " + params.type());
    }
  }

  /** Refuses a buffer that is larger than the device can ever provide. */
  public static void checkLargest(DeviceCore<?> device, long bytes, BufferParams params) {
    boolean isOnDevice = params.type() == MemoryType.DEVICE || params.type() == MemoryType.SHARED;
    long most = device.info().maxAllocationBytes();
    if (isOnDevice && bytes > most) {
      throw new HalException(
          Status.RESOURCE_EXHAUSTED,
          ("buffer of " + bytes + " bytes exceeds the largest allocation of " + params.type())
              + (" memory on " + device.name() + ", which is " + most));
    }
  }

  @Override
  public boolean supports(BufferParams params) {
    return backend.supports(Objects.requireNonNull(params, "params"));
  }

  @Override
  public DeviceBuffer allocate(long bytes, BufferParams params) {
    checkType(device, bytes, params);
    checkLargest(device, bytes, params);
    return adopt(
        bytes,
        params,
        () -> BufferStorage.allocated(device, params, bytes, backend.allocate(bytes, params)));
  }

  @Override
  public DeviceBuffer importHost(
      ByteBuffer memory, BufferParams params, @Nullable Runnable onRelease) {
    Objects.requireNonNull(memory, "memory");
    Objects.requireNonNull(params, "params");
    if (!backend.capabilities().contains(Capability.HOST_IMPORT)) {
      throw new HalException(Status.UNIMPLEMENTED, device.name() + " cannot import host memory");
    }
    if (!memory.isDirect() || memory.isReadOnly()) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "memory to import is "
              + (memory.isDirect() ? "read-only" : "on the heap")
              + "; it must be direct and writable");
    }
    ByteBuffer range = memory.slice();
    return adopt(
        range.capacity(),
        params,
        () ->
            BufferStorage.imported(
                device,
                params,
                range.capacity(),
                backend.importHost(range, params),
                range,
                onRelease));
  }

  @Override
  public DeviceBuffer importDevice(
      long address, long bytes, BufferParams params, @Nullable Runnable onRelease) {
    Objects.requireNonNull(params, "params");
    if (!backend.capabilities().contains(Capability.HOST_ADDRESSES)) {
      device.checkNativeAccess("import device memory");
    }
    if (params.type() != MemoryType.DEVICE) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "device memory is imported as DEVICE memory, not as " + params.type());
    }
    if (bytes < 1) {
      throw new HalException(
          Status.OUT_OF_RANGE, "import of " + bytes + " bytes; at least 1 is needed");
    }
    return adopt(
        bytes,
        params,
        () ->
            BufferStorage.imported(
                device, params, bytes, backend.importDevice(address, bytes), null, onRelease));
  }

  @Override
  public DeviceBuffer importPeer(DeviceBuffer buffer) {
    Objects.requireNonNull(buffer, "buffer");
    device.checkUsable();
    if (!(buffer instanceof EngineBuffer own)) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "buffer of " + buffer.getClass() + " was not allocated by a device");
    }
    own.checkOpen("buffer to import");
    own.core().checkOpen();
    BufferStorage home = own.storage.home();
    home.device.checkOpen();
    if (home.isTransient) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          own + " cannot be imported: it is from an alloca, and a dealloca may end it at any time");
    }
    String refusal = home.refusalFor(device);
    if (refusal != null) {
      throw new HalException(
          Status.UNIMPLEMENTED,
          device.name() + " cannot use the memory of " + own + ": " + refusal);
    }
    return device.calls().call(() -> new EngineBuffer(own.standIn(device), own.offset, own.size()));
  }

  private DeviceBuffer adopt(long size, BufferParams params, Supplier<BufferStorage> maker) {
    // One call, since the device may close between the allocation and add(). The close either waits
    // for the call, and finds the storage, or refuses the call.
    return device
        .calls()
        .call(
            () -> {
              BufferStorage storage = maker.get();
              device.resources().storages.add(storage);
              device.addBytes(size, params);
              return new EngineBuffer(storage);
            });
  }

  @Override
  public String toString() {
    return "allocator of " + device;
  }
}
