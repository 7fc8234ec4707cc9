package org.jhal.cuda;

import java.nio.ByteBuffer;
import jcuda.NativePointerObject;
import jcuda.driver.CUevent;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;

/**
 * A stream of its own and two page-locked chunks: one is copied by the host while the device copies
 * the other.
 *
 * <p>For one thread at a time, with the context current.
 */
final class TransferLane {
  static final int CHUNK_BYTES = 2 << 20;

  private final CudaContext context;
  private final CUstream stream = new CUstream();
  private final HostBlock[] chunks = new HostBlock[2];
  private final CUevent[] events = {new CUevent(), new CUevent()};
  private final boolean[] isUnderWay = new boolean[2]; // a copy that nobody has seen to be over

  TransferLane(CudaContext context) {
    this.context = context;
    try {
      create("cuStreamCreate", stream, JCudaDriver.cuStreamCreate(stream, CudaStream.NON_BLOCKING));
      for (int i = 0; i < 2; i++) {
        CUevent event = events[i];
        create("cuEventCreate", event, JCudaDriver.cuEventCreate(event, CudaStream.BLOCKING_EVENT));
        chunks[i] = new HostBlock(context, CHUNK_BYTES);
      }
    } catch (Throwable t) {
      close();
      throw t;
    }
  }

  /** A call that fails leaves something in the handle that is none. */
  private void create(String call, NativePointerObject handle, int code) {
    if (code != CudaResult.SUCCESS) {
      Handles.set(handle, 0);
      throw context.failure(call, code, "");
    }
  }

  /** The bytes of chunk {@code index}, from 0 to {@code size}. */
  ByteBuffer bytes(int index, int size) {
    return chunks[index].view(0, size);
  }

  /** Starts to copy a chunk to the device. */
  void write(int index, long target, int size) {
    context.check(
        "cuMemcpyHtoDAsync",
        CudaExtras.cuMemcpyHtoDAsync_v2(
            target, chunks[index].hostAddress(), size, Handles.get(stream)));
    record(index);
  }

  /** Starts to copy from the device to a chunk. */
  void read(int index, long source, int size) {
    context.check(
        "cuMemcpyDtoHAsync",
        CudaExtras.cuMemcpyDtoHAsync_v2(
            chunks[index].hostAddress(), source, size, Handles.get(stream)));
    record(index);
  }

  private void record(int index) {
    context.check("cuEventRecord", JCudaDriver.cuEventRecord(events[index], stream));
    isUnderWay[index] = true;
  }

  /** Waits until the last copy of a chunk is over; none counts as over. */
  void await(int index) {
    if (isUnderWay[index]) {
      context.check("cuEventSynchronize", JCudaDriver.cuEventSynchronize(events[index]));
      isUnderWay[index] = false;
    }
  }

  /** Waits until nothing uses the chunks, whatever became of it. */
  void settle() {
    int ignored = JCudaDriver.cuStreamSynchronize(stream);
    isUnderWay[0] = false;
    isUnderWay[1] = false;
  }

  void close() {
    for (int i = 0; i < 2; i++) {
      if (chunks[i] != null) {
        chunks[i].release();
      }
      if (Handles.get(events[i]) != 0) {
        context.checkFreed("cuEventDestroy", JCudaDriver.cuEventDestroy(events[i]));
      }
    }
    if (Handles.get(stream) != 0) {
      context.checkFreed("cuStreamDestroy", JCudaDriver.cuStreamDestroy(stream));
    }
  }
}
