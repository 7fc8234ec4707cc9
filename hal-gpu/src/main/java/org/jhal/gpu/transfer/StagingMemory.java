package org.jhal.gpu.transfer;

import com.sun.jna.Memory;
import java.nio.ByteBuffer;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.MappedRange;
import org.jhal.gpu.memory.HostBlock;
import org.jhal.gpu.natives.NativeBlock;
import org.jhal.gpu.runtime.GpuCore;

/** Host memory that copies go through. The views of it keep it. */
final class StagingMemory implements DeviceMemory {
  private final ByteBuffer bytes;
  private final long hostAddress;
  private final Runnable release;

  private StagingMemory(ByteBuffer bytes, long hostAddress, Runnable release) {
    this.bytes = bytes;
    this.hostAddress = hostAddress;
    this.release = release;
  }

  /** Memory that the device copies while other work goes on. */
  static StagingMemory pinned(GpuCore core, int size) {
    HostBlock block = new HostBlock(core.runtime(), size);
    return new StagingMemory(
        block.view(0, size), block.hostAddress(), () -> block.release(core.frees()));
  }

  /** Memory that the runtime copies as it copies any pageable memory. */
  static StagingMemory ordinary(int size) {
    try {
      ByteBuffer bytes = new Memory(size).getByteBuffer(0, size);
      return new StagingMemory(bytes, NativeBlock.addressOf(bytes), () -> {});
    } catch (OutOfMemoryError e) {
      throw new HalException(
          Status.RESOURCE_EXHAUSTED, "the host has no " + size + " bytes left", e);
    }
  }

  /** The address of its first byte for the host. */
  long hostAddress() {
    return hostAddress;
  }

  @Override
  public long size() {
    return bytes.capacity();
  }

  @Override
  public MappedRange map(long offset, int length) {
    ByteBuffer view = bytes.slice((int) offset, length).order(bytes.order());
    return () -> view;
  }

  @Override
  public void free() {
    release.run();
  }
}
