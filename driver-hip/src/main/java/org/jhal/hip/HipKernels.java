// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import java.util.Set;
import org.jhal.gpu.compile.CompilerFiles;
import org.jhal.gpu.compile.KernelLoader;
import org.jhal.gpu.compile.RuntimeCompiler;
import org.jhal.gpu.natives.GpuLibrary;
import org.jhal.gpu.natives.GpuProperties;
import org.jhal.gpu.natives.ResultCodes;
import org.jhal.hip.jna.HipApi;
import org.jhal.hip.jna.HiprtcApi;
import org.jspecify.annotations.Nullable;

/** Loads kernels. */
final class HipKernels extends KernelLoader {
  HipKernels(HipRuntime runtime, GpuProperties device) {
    super(runtime, device, Set.of("hip-hsaco"), HiprtcApi.PREFIX, "-ffp-contract=off");
  }

  @Override
  protected RuntimeCompiler compiler() {
    GpuLibrary library = calls().library();
    return Hiprtc.load(library.library(), HipDriver.major(library.number()));
  }

  @Override
  protected @Nullable CompilerFiles compilerFiles() {
    GpuLibrary library = calls().library();
    return Hiprtc.files(library.library(), HipDriver.major(library.number()));
  }

  @Override
  protected NativeModule link(byte[] code, String what) {
    CodeObject metadata = CodeObject.read(code, what);
    metadata.checkArchitecture(device().architecture(), what);
    long[] out = new long[1];
    int result = HipApi.API.setup().moduleLoadData(out, image(code));
    if (result != ResultCodes.SUCCESS) {
      throw calls().failure("moduleLoadData", result, "cannot load " + what);
    }
    // The code object describes the arguments, the runtime does not.
    return new NativeModule(
        out[0], (kernel, entry, spec, name) -> metadata.checkArguments(entry, spec, name));
  }

  /** The runtime counts work items in 32 bits; versions refuse more or do not run them. */
  @Override
  protected long maxWorkItems() {
    return 0xFFFFFFFFL;
  }
}
