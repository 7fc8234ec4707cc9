package org.jhal.hip.jna;

import com.sun.jna.Pointer;
import org.jhal.gpu.natives.GpuSetup;

/** The functions of the HIP runtime that only it has, beside those that operations call. */
public interface HipSetup extends GpuSetup {
  int init(int flags);

  int runtimeGetVersion(int[] version);

  /** Returns the name of a code; hipErrorUnknown for one that the library does not know. */
  String getErrorName(int code);

  /** Returns the description of a code, in English. */
  String getErrorString(int code);

  int deviceEnablePeerAccess(int owner, int flags);

  int memPoolTrimTo(long pool, long bytesToHold);

  int moduleLoadData(long[] module, Pointer image);
}
