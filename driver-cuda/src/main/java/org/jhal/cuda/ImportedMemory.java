package org.jhal.cuda;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.utils.MappedRange;

/** The caller's own host memory as a buffer: registered with the context while the buffer lives. */
final class ImportedMemory implements CudaMemory {
  private final CudaContext context;
  private final FreeThread frees;
  private final ByteBuffer memory; // keeps it alive
  private final long hostAddress;
  private final long deviceAddress;

  /** Registers it; the context is current. */
  ImportedMemory(CudaContext context, FreeThread frees, ByteBuffer memory) {
    this.context = context;
    this.frees = frees;
    this.memory = memory;
    this.hostAddress = Pointer.nativeValue(Native.getDirectBufferPointer(memory));
    this.deviceAddress = memory.capacity() == 0 ? 0 : register();
  }

  private long register() {
    try {
      return HostBlock.register(context, hostAddress, memory.capacity());
    } catch (HalException e) {
      if (e.status() != Status.FAILED_PRECONDITION) {
        throw e;
      }
      frees.await(); // it may have been imported before, and not be given back yet
      return HostBlock.register(context, hostAddress, memory.capacity());
    }
  }

  @Override
  public long address() {
    return deviceAddress;
  }

  @Override
  public boolean isOnHost() {
    return true;
  }

  @Override
  public long size() {
    return memory.capacity();
  }

  @Override
  public MappedRange map(long offset, int length) {
    ByteBuffer view = memory.slice((int) offset, length).order(ByteOrder.nativeOrder());
    return () -> view;
  }

  @Override
  public void free() {
    free(() -> {});
  }

  @Override
  public void free(Runnable then) {
    frees.free(this::unregister, then);
  }

  private void unregister() {
    if (memory.capacity() > 0) {
      context.checkFreed("cuMemHostUnregister", CudaExtras.cuMemHostUnregister(hostAddress));
    }
  }
}
