package org.jhal.cuda;

import java.lang.System.Logger.Level;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.JCudaDriver;
import org.jhal.HalException;
import org.jhal.Status;

/**
 * The primary context of a device, which it shares with all other users of the device in this
 * process: those of the CUDA runtime, and other {@link CudaDevice}s. It is current on a thread only
 * between {@link #push} and {@link #pop}, so that a program that uses CUDA itself is not disturbed.
 *
 * <p>Thread-safe.
 */
final class CudaContext {
  private static final System.Logger LOG = System.getLogger(CudaContext.class.getName());

  /** Takes what a pop returns; nobody reads it. */
  private static final CUcontext POPPED = new CUcontext();

  private final CUdevice device;
  private final CUcontext handle = new CUcontext();
  private volatile boolean isLost;

  private CudaContext(CUdevice device) {
    this.device = device;
  }

  /** The context of a device, with a reference, which {@link #release} gives back. */
  static CudaContext retain(int ordinal) {
    CUdevice device = new CUdevice();
    CudaResult.check("cuDeviceGet", JCudaDriver.cuDeviceGet(device, ordinal));
    CudaContext context = new CudaContext(device);
    context.check(
        "cuDevicePrimaryCtxRetain",
        JCudaDriver.cuDevicePrimaryCtxRetain(context.handle, context.device));
    return context;
  }

  /** Takes one more reference, which one more {@link #release} gives back. */
  void retainAgain() {
    check(
        "cuDevicePrimaryCtxRetain", JCudaDriver.cuDevicePrimaryCtxRetain(new CUcontext(), device));
  }

  /** Makes the context current on the calling thread, on top of what is. */
  void push() {
    check("cuCtxPushCurrent", JCudaDriver.cuCtxPushCurrent(handle));
  }

  /** Undoes a {@link #push}. */
  void pop() {
    int code = JCudaDriver.cuCtxPopCurrent(POPPED);
    if (!isLost) {
      check("cuCtxPopCurrent", code);
    }
  }

  /** Whether a call has returned an error after which the context is dead. */
  boolean isLost() {
    return isLost;
  }

  /** Throws the failure of a call, if it is one. */
  void check(String call, int code) {
    if (code != CudaResult.SUCCESS) {
      throw failure(call, code, "");
    }
  }

  /** The failure of a call; see {@link CudaResult#failure}. */
  HalException failure(String call, int code, String what) {
    HalException failure = CudaResult.failure(call, code, what);
    if (failure.status() == Status.UNAVAILABLE) {
      isLost = true;
    }
    return failure;
  }

  /**
   * As {@link #check}, for a call that gives something back. Nothing else fails because of it, so
   * it is only logged; a dead context refuses it, and takes everything with it when it is released.
   */
  void checkFreed(String call, int code) {
    if (code != CudaResult.SUCCESS) {
      HalException failure = failure(call, code, "");
      if (!isLost) {
        LOG.log(Level.WARNING, "something is not given back before its context ends", failure);
      }
    }
  }

  /**
   * Calls {@code body}, which gives something back, with the context current; where that is not
   * possible, what it would give back goes with the context. Never throws.
   */
  void giveBack(Runnable body) {
    try {
      push();
      try {
        body.run();
      } finally {
        pop();
      }
    } catch (Throwable t) { // nobody can do anything about it
      if (!isLost) {
        LOG.log(Level.WARNING, "something is not given back before its context ends", t);
      }
    }
  }

  /** Gives a reference back; with the last one of the process the context ends. */
  void release() {
    checkFreed("cuDevicePrimaryCtxRelease", JCudaDriver.cuDevicePrimaryCtxRelease(device));
  }
}
