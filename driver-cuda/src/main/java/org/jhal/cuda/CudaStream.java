package org.jhal.cuda;

import jcuda.Pointer;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUstream;

/**
 * A native stream, and what JCuda's functions want of a call that puts something into it: an object
 * for each address. These are overwritten by each call, which one thread at a time makes.
 */
final class CudaStream {
  final CUstream handle = new CUstream();

  private final CUdeviceptr first = new CUdeviceptr();
  private final CUdeviceptr second = new CUdeviceptr();
  private final Pointer list = new Pointer();

  /** As JNA takes it. */
  long address() {
    return Handles.get(handle);
  }

  CUdeviceptr first(long address) {
    return Handles.set(first, address);
  }

  CUdeviceptr second(long address) {
    return Handles.set(second, address);
  }

  Pointer list(long address) {
    return Handles.set(list, address);
  }
}
