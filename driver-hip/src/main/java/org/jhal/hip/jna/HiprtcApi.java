package org.jhal.hip.jna;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.LongByReference;
import org.jhal.gpu.compile.CompilerApi;

/**
 * The functions of HIPRTC, without their prefix. An option of compileProgram that names an
 * architecture which the compiler does not know ends the process.
 */
public interface HiprtcApi extends CompilerApi {
  /** The prefix of the functions' names. */
  String PREFIX = "hiprtc";

  /** Gets how many bytes {@link #getCode} writes. */
  int getCodeSize(Pointer program, LongByReference size);

  /** Writes the code. */
  int getCode(Pointer program, Memory code);
}
