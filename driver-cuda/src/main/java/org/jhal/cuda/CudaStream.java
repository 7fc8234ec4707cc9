package org.jhal.cuda;

import jcuda.Pointer;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUstream;

/**
 * A native stream, with the objects that JCuda's functions need for the addresses in a call on it.
 * Each call overwrites them; only one thread at a time makes such calls.
 */
final class CudaStream {
  final CUstream handle = new CUstream();

  private final CUdeviceptr first = new CUdeviceptr();
  private final CUdeviceptr second = new CUdeviceptr();
  private final Pointer list = new Pointer();

  /** The handle in the form that JNA takes. */
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
