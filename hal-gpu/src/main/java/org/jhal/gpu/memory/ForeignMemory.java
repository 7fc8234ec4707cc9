package org.jhal.gpu.memory;

import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.MappedRange;
import org.jhal.driver.support.FreeThread;
import org.jhal.gpu.runtime.GpuMemory;

/** Device memory that the program has allocated with the native runtime, and will free. */
public final class ForeignMemory implements GpuMemory {
  private final FreeThread frees;
  private final int place;
  private final long address;
  private final long size;

  public ForeignMemory(FreeThread frees, int place, long address, long size) {
    this.frees = frees;
    this.place = place;
    this.address = address;
    this.size = size;
  }

  @Override
  public long address() {
    return address;
  }

  @Override
  public int place() {
    return place;
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public MappedRange map(long offset, int length) {
    throw new HalException(Status.UNIMPLEMENTED, "device memory cannot be mapped");
  }

  @Override
  public void free() {
    free(() -> {});
  }

  /** Frees nothing, but {@code then} may let the program free it, which may wait for the device. */
  @Override
  public void free(Runnable then) {
    frees.free(() -> {}, then);
  }
}
