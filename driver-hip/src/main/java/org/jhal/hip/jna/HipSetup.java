// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip.jna;

import com.sun.jna.Pointer;
import org.jhal.gpu.natives.GpuSetup;

/** The HIP runtime's own functions, beside those that operations call. */
public interface HipSetup extends GpuSetup {
  int runtimeGetVersion(int[] version);

  /** Returns the name of a code; hipErrorUnknown for an unknown one. */
  String getErrorName(int code);

  /** Returns the description of a code, in English. */
  String getErrorString(int code);

  int deviceEnablePeerAccess(int owner, int flags);

  int memPoolTrimTo(long pool, long bytesToHold);

  int moduleLoadData(long[] module, Pointer image);
}
