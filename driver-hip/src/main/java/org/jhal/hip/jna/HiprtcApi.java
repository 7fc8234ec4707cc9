// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip.jna;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.LongByReference;
import org.jhal.gpu.compile.CompilerApi;

/**
 * The functions of HIPRTC, without their prefix. An unknown architecture in the options of
 * compileProgram ends the process.
 */
public interface HiprtcApi extends CompilerApi {
  /** The prefix of the functions' names. */
  String PREFIX = "hiprtc";

  /** Gets the number of bytes that {@link #getCode} writes. */
  int getCodeSize(Pointer program, LongByReference size);

  int getCode(Pointer program, Memory code);
}
