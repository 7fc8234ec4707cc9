package org.jhal.cuda;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jhal.utils.MappedRange;

/** The caller's own host memory as a buffer: registered with the context while the buffer lives. */
final class ImportedMemory implements CudaMemory {
  private final CudaContext context;
  private final ByteBuffer memory; // keeps it alive
  private final long hostAddress;
  private final long deviceAddress;

  ImportedMemory(CudaContext context, ByteBuffer memory) {
    this.context = context;
    this.memory = memory;
    this.hostAddress = Pointer.nativeValue(Native.getDirectBufferPointer(memory));
    this.deviceAddress =
        memory.capacity() == 0 ? 0 : HostBlock.register(context, hostAddress, memory.capacity());
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
    if (memory.capacity() > 0) {
      context.checkFreed("cuMemHostUnregister", CudaExtras.cuMemHostUnregister(hostAddress));
    }
  }
}
