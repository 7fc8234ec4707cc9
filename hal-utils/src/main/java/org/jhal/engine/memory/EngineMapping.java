// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.memory;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceBuffer.MapMode;
import org.jhal.driver.MappedRange;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.base.Owned;
import org.jhal.engine.base.Owner;
import org.jhal.engine.journal.Journal;
import org.jspecify.annotations.Nullable;

/**
 * A range of a buffer that the host accesses.
 *
 * <p>Thread-safe.
 */
final class EngineMapping implements DeviceBuffer.Mapping {
  /**
   * The part of a mapping that outlives its handle: a reference to the storage. When the program
   * closes or forgets the mapping, the host's writes are flushed and the reference is dropped.
   */
  static final class Use extends Owned {
    private final DeviceCore<?> device;
    private final BufferStorage storage;
    private final MapMode mode;
    private final int length; // bytes
    private final MappedRange range;
    private final Journal.@Nullable Mapping recorded; // null unless it is to be recorded

    private Use(BufferStorage storage, MapMode mode, long offset, int length) {
      super(storage.device.resources().mappings);
      this.device = storage.device;
      this.storage = storage;
      this.mode = mode;
      this.length = length;
      this.range = device.calls().call(() -> storage.memory().map(offset, length));
      if (mode != MapMode.DISCARD_WRITE) {
        invalidate();
      }
      Journal journal = device.journal();
      this.recorded =
          journal == null || mode == MapMode.READ
              ? null
              : journal.mapped(
                  storage.memory(), offset, range.bytes(), mode != MapMode.DISCARD_WRITE);
    }

    private void flush() {
      if (mode != MapMode.READ) {
        device.calls().callIfOpen(range::flush);
      }
    }

    private void invalidate() {
      device
          .calls()
          .call(
              () -> {
                range.invalidate();
                return range;
              });
    }

    @Override
    protected String describe() {
      return "a mapping of " + length + " bytes of " + device.name();
    }

    @Override
    protected void endNative() {
      try {
        if (recorded != null) {
          recorded.end();
        }
        if (device.lostCause() == null) {
          flush();
        }
      } finally {
        storage.release();
      }
    }
  }

  private final EngineBuffer buffer;
  private final Use use;
  private final ByteBuffer bytes;
  private final Owner owner;

  private EngineMapping(EngineBuffer buffer, Use use) {
    this.buffer = buffer;
    this.use = use;
    ByteBuffer view = use.range.bytes();
    this.bytes =
        (use.mode == MapMode.READ ? view.asReadOnlyBuffer() : view).order(ByteOrder.nativeOrder());
    this.owner = use.ownedBy(this, use.device.tracesLeaks());
  }

  /**
   * Maps a range. Takes over the caller's reference to the storage, unless it throws.
   *
   * @param offset from the start of the storage
   */
  static EngineMapping of(EngineBuffer buffer, long offset, int length, MapMode mode) {
    return new EngineMapping(buffer, new Use(buffer.storage, mode, offset, length));
  }

  @Override
  public DeviceBuffer buffer() {
    return buffer;
  }

  @Override
  public ByteBuffer bytes() {
    return bytes;
  }

  @Override
  public void flush() {
    use.flush();
  }

  @Override
  public void invalidate() {
    use.invalidate();
  }

  @Override
  public void close() {
    owner.close();
    Reference.reachabilityFence(this); // otherwise it might be reported as a leak during the close
  }

  @Override
  public String toString() {
    return use.mode + " mapping of " + bytes.capacity() + " bytes of " + buffer;
  }
}
