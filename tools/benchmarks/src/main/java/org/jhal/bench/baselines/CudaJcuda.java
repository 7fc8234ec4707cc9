// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.baselines;

import com.sun.jna.Memory;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import java.util.Arrays;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;
import org.jhal.bench.kernel.Touch;
import org.jhal.bench.measure.NotAvailableException;
import org.jspecify.annotations.Nullable;

/**
 * The shared objects of the baselines on JCuda: the primary context of the device, a separate
 * stream, and the kernel. They are created on first use. Every result is checked.
 *
 * <p>For one thread.
 */
public final class CudaJcuda implements AutoCloseable {
  /** A step that one thread takes while the context is its current one. */
  interface Body {
    double[] run(CudaJcuda cuda) throws Exception;
  }

  /** A device pointer that exposes its address. */
  private static final class Address extends CUdeviceptr {
    long value() {
      return getNativePointer() + getByteOffset();
    }
  }

  /** A pointer to native memory at a known address. */
  private static final class Raw extends Pointer {
    Raw(long address) {
      super(address);
    }
  }

  private final @Nullable String pciAddress;
  private final CUdevice device = new CUdevice();
  private final CUcontext context = new CUcontext();
  private final CUmodule module = new CUmodule();
  private final CUfunction function = new CUfunction();
  private final CUstream stream = new CUstream();
  private final Address target = new Address();
  private final Memory packed = new Memory(64);
  private final Pointer packedExtra =
      new Raw(com.sun.jna.Pointer.nativeValue(packed)); // as long as packed is reachable
  private boolean isOpen;

  /**
   * Calls nothing yet.
   *
   * @param pciAddress of the device, or null for the first
   */
  public CudaJcuda(@Nullable String pciAddress) {
    this.pciAddress = pciAddress;
  }

  /**
   * Checks the result of {@code call}.
   *
   * @throws IllegalStateException if it is not success
   */
  static void check(int result, String call) {
    if (result != CUresult.CUDA_SUCCESS) {
      throw new IllegalStateException(call + ": " + CUresult.stringFor(result));
    }
  }

  /** Runs {@code body} with the context, then restores the previous one. */
  double[] inContext(Body body) throws Exception {
    try {
      if (!isOpen) {
        open();
      }
      check(JCudaDriver.cuCtxPushCurrent(context), "cuCtxPushCurrent");
      try {
        return body.run(this);
      } finally {
        check(JCudaDriver.cuCtxPopCurrent(new CUcontext()), "cuCtxPopCurrent");
      }
    } catch (LinkageError e) {
      throw new NotAvailableException("JCuda does not load: " + e);
    }
  }

  private void open() throws NotAvailableException {
    String library = Platform.isWindows() ? "nvcuda" : "libcuda.so.1";
    try {
      // JCuda's own message would be less clear, and it would leave a file behind.
      NativeLibrary unused = NativeLibrary.getInstance(library);
    } catch (UnsatisfiedLinkError e) {
      throw new NotAvailableException("there is no " + library);
    }
    check(JCudaDriver.cuInit(0), "cuInit");
    if (pciAddress == null) {
      check(JCudaDriver.cuDeviceGet(device, 0), "cuDeviceGet");
    } else {
      check(JCudaDriver.cuDeviceGetByPCIBusId(device, pciAddress), "cuDeviceGetByPCIBusId");
    }
    check(JCudaDriver.cuDevicePrimaryCtxRetain(context, device), "cuDevicePrimaryCtxRetain");
    check(JCudaDriver.cuCtxPushCurrent(context), "cuCtxPushCurrent");
    try {
      check(
          JCudaDriver.cuStreamCreate(stream, CUstream_flags.CU_STREAM_NON_BLOCKING),
          "cuStreamCreate");
      check(JCudaDriver.cuModuleLoadData(module, kernel()), "cuModuleLoadData");
      check(JCudaDriver.cuModuleGetFunction(function, module, "touch"), "cuModuleGetFunction");
      check(JCudaDriver.cuMemAlloc(target, Integer.BYTES), "cuMemAlloc");
    } finally {
      check(JCudaDriver.cuCtxPopCurrent(new CUcontext()), "cuCtxPopCurrent");
    }
    pack();
    isOpen = true;
  }

  /** The text of the kernel, with the terminating zero that the driver requires. */
  private static byte[] kernel() {
    byte[] text = Touch.file("touch.ptx");
    return Arrays.copyOf(text, text.length + 1);
  }

  /**
   * Lays the arguments out as one block: at 0 the list that says where the block is and how long,
   * at 40 its length, at 48 the block, which is the address of the target (8 bytes) and the value
   * (4 bytes).
   */
  private void pack() {
    long base = com.sun.jna.Pointer.nativeValue(packed);
    packed.setLong(0, 1); // CU_LAUNCH_PARAM_BUFFER_POINTER
    packed.setLong(8, base + 48);
    packed.setLong(16, 2); // CU_LAUNCH_PARAM_BUFFER_SIZE
    packed.setLong(24, base + 40);
    packed.setLong(32, 0); // CU_LAUNCH_PARAM_END
    packed.setLong(40, Long.BYTES + Integer.BYTES);
    packed.setLong(48, target.value());
    packed.setInt(56, Touch.VALUE);
  }

  CUstream stream() {
    return stream;
  }

  /** Launches as JCuda's documentation shows it: pointers to pointers, made for each launch. */
  void launchAsDocumented() {
    Pointer parameters = Pointer.to(Pointer.to(target), Pointer.to(new int[] {Touch.VALUE}));
    check(
        JCudaDriver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, null),
        "cuLaunchKernel");
  }

  /** Launches with the block of arguments that was packed before. */
  void launchPacked() {
    check(
        JCudaDriver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, null, packedExtra),
        "cuLaunchKernel");
  }

  /** Clears the word that the kernel writes. */
  void clear() {
    check(JCudaDriver.cuMemsetD32Async(target, 0, 1, stream), "cuMemsetD32Async");
    check(JCudaDriver.cuStreamSynchronize(stream), "cuStreamSynchronize");
  }

  /**
   * Checks that the kernel has run since {@link #clear()}.
   *
   * @throws IllegalStateException if it has not
   */
  void expectTouched() {
    int[] word = {0};
    check(JCudaDriver.cuStreamSynchronize(stream), "cuStreamSynchronize");
    check(JCudaDriver.cuMemcpyDtoH(Pointer.to(word), target, Integer.BYTES), "cuMemcpyDtoH");
    if (word[0] != Touch.VALUE) {
      throw new IllegalStateException(
          "the device's memory has " + word[0] + " where " + Touch.VALUE + " should be");
    }
  }

  /**
   * Frees everything.
   *
   * @throws IllegalStateException if the driver refuses that, as it does after a failed kernel
   */
  @Override
  public void close() {
    if (!isOpen) {
      return;
    }
    isOpen = false;
    check(JCudaDriver.cuCtxPushCurrent(context), "cuCtxPushCurrent");
    try {
      check(JCudaDriver.cuMemFree(target), "cuMemFree");
      check(JCudaDriver.cuModuleUnload(module), "cuModuleUnload");
      check(JCudaDriver.cuStreamDestroy(stream), "cuStreamDestroy");
    } finally {
      check(JCudaDriver.cuCtxPopCurrent(new CUcontext()), "cuCtxPopCurrent");
    }
    check(JCudaDriver.cuDevicePrimaryCtxRelease(device), "cuDevicePrimaryCtxRelease");
  }
}
