// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda.sim;

import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;
import java.nio.charset.StandardCharsets;

/** The simulated run-time compiler, through JNA. */
final class NvrtcCalls {
  /** The result of a compilation; the image is empty if the code is not 0. */
  record Result(int code, byte[] image, String log) {}

  private final NativeLibrary library =
      NativeLibrary.getInstance(SimulatedCuda.compiler().path().toString());

  Result compile(String source, String name, String... options) {
    PointerByReference handle = new PointerByReference();
    int created = call("nvrtcCreateProgram", handle, source, name, 0, Pointer.NULL, Pointer.NULL);
    if (created != 0) {
      return new Result(created, new byte[0], "");
    }
    Pointer program = handle.getValue();
    int code = call("nvrtcCompileProgram", program, options.length, options);
    byte[] log = bytes("nvrtcGetProgramLog", program);
    byte[] image = code == 0 ? bytes("nvrtcGetCUBIN", program) : new byte[0];
    call("nvrtcDestroyProgram", handle);
    return new Result(code, image, new String(log, 0, log.length - 1, StandardCharsets.UTF_8));
  }

  private byte[] bytes(String function, Pointer program) {
    long[] size = new long[1];
    call(function + "Size", program, size);
    byte[] bytes = new byte[(int) size[0]];
    call(function, program, bytes);
    return bytes;
  }

  int call(String function, Object... arguments) {
    return library.getFunction(function).invokeInt(arguments);
  }
}
