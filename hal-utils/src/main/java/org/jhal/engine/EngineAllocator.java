package org.jhal.engine;

import java.nio.ByteBuffer;
import java.util.Objects;
import org.jhal.Allocator;
import org.jhal.BufferParams;
import org.jhal.DeviceBuffer;
import org.jspecify.annotations.Nullable;

/** The allocator of an {@link EngineDevice}. */
final class EngineAllocator implements Allocator {
  private final EngineDevice<?> device;

  EngineAllocator(EngineDevice<?> device) {
    this.device = device;
  }

  @Override
  public boolean supports(BufferParams params) {
    return device.supports(Objects.requireNonNull(params, "params"));
  }

  @Override
  public DeviceBuffer allocate(long bytes, BufferParams params) {
    return device.allocate(bytes, params);
  }

  @Override
  public DeviceBuffer importHost(
      ByteBuffer memory, BufferParams params, @Nullable Runnable onRelease) {
    return device.importHost(Objects.requireNonNull(memory, "memory"), params, onRelease);
  }

  @Override
  public String toString() {
    return "allocator of " + device;
  }
}
