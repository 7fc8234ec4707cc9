package org.jhal.cuda;

import com.sun.jna.Pointer;
import org.jhal.gpu.natives.GpuSetup;

/** The driver API's own functions, beside those that operations call. */
interface CudaSetup extends GpuSetup {
  int driverGetVersion(int[] version);

  int devicePrimaryCtxRetain(long[] context, int device);

  int devicePrimaryCtxRelease(int device);

  int ctxGetCurrent(long[] context);

  int deviceEnablePeerAccess(long context, int flags);

  int moduleLoadDataEx(long[] module, Pointer image, int count, int[] options, Pointer values);

  int funcSetAttribute(long kernel, int attribute, int value);
}
