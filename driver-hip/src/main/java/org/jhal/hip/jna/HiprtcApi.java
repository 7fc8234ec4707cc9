package org.jhal.hip.jna;

import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import com.sun.jna.StringArray;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import org.jspecify.annotations.Nullable;

/** The functions of HIPRTC; each returns a {@code hiprtcResult} unless it says otherwise. */
public interface HiprtcApi extends Library {
  /** Returns the name of a code. */
  String hiprtcGetErrorString(int result);

  int hiprtcCreateProgram(
      PointerByReference prog,
      String src,
      String name,
      int numHeaders,
      @Nullable Pointer headers,
      @Nullable Pointer includeNames);

  int hiprtcDestroyProgram(PointerByReference prog);

  /** Ends the process if an option names an architecture that the compiler does not know. */
  int hiprtcCompileProgram(Pointer prog, int numOptions, StringArray options);

  int hiprtcGetCodeSize(Pointer prog, LongByReference codeSizeRet);

  int hiprtcGetCode(Pointer prog, Memory code);

  int hiprtcGetProgramLogSize(Pointer prog, LongByReference logSizeRet);

  int hiprtcGetProgramLog(Pointer prog, Memory log);
}
