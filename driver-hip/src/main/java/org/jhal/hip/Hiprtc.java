// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import com.sun.jna.Pointer;
import com.sun.jna.ptr.LongByReference;
import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.Lazy;
import org.jhal.gpu.compile.CompilerFiles;
import org.jhal.gpu.compile.RuntimeCompiler;
import org.jhal.gpu.natives.SharedLibrary;
import org.jhal.gpu.natives.WantedLibrary;
import org.jhal.hip.jna.HiprtcApi;
import org.jhal.kernels.source.SourceCode;
import org.jspecify.annotations.Nullable;

/**
 * AMD's run-time compiler: a separate library from ROCm 7 on, before that also a part of the
 * runtime.
 *
 * <p>Thread-safe.
 */
final class Hiprtc extends RuntimeCompiler {
  private static final String NAME = "libhiprtc.so";
  private static final int LIKELY_MAJOR = 7;
  private static final String SYMBOL = "hiprtcCompileProgram";
  private static final String ARCHITECTURE = "--gpu-architecture=";
  private static final List<String> ARCHITECTURE_OPTIONS =
      List.of("--gpu-architecture", "--offload-arch", "-arch", "-mcpu", "--cuda-gpu-arch");

  /** Prefixes of environment variables that add options or search paths to HIPRTC and its Clang. */
  private static final List<String> VARIABLES =
      List.of(
          ("HIPRTC_ AMD_COMGR_ COMGR_ CCC_ CLANG_ CPATH CPLUS_INCLUDE_PATH C_INCLUDE_PATH"
                  + " HIP_CLANG_PATH HIP_DEVICE_LIB_PATH HIP_PATH LLVM_PATH ROCM_PATH")
              .split(" "));

  static final WantedLibrary WANTED =
      new WantedLibrary(
          "HIPRTC, which compiles sources,", "ROCm", "jhal.hip.hiprtc", Status.UNIMPLEMENTED);

  private static final Lazy<Hiprtc> LOADED = Lazy.keepingFailure();

  private final HiprtcApi api;
  private final Comgr targets;

  private Hiprtc(SharedLibrary library, HiprtcApi api, Comgr targets) {
    super(
        "HIPRTC (" + library.path() + ")",
        api,
        Arrays.asList(library.file(SYMBOL), targets.file()));
    this.api = api;
    this.targets = targets;
  }

  /** Loads the compiler that belongs to the process's runtime, on the first call. */
  static Hiprtc load(SharedLibrary runtime, int major) {
    return LOADED.get(() -> open(WANTED.find(candidates(runtime, major), SYMBOL), major));
  }

  private static Hiprtc open(SharedLibrary library, int major) {
    HiprtcApi api = WANTED.map(library, HiprtcApi.class, HiprtcApi.PREFIX, "that of ROCm 5.2");
    return new Hiprtc(library, api, Comgr.of(library, major));
  }

  /** The files of the compiler that would be loaded, with those that it uses. */
  static @Nullable CompilerFiles files(SharedLibrary runtime, int major) {
    return files(candidates(runtime, major), major);
  }

  /** Searches for files in the same way, without the runtime; may find another compiler. */
  static void warmUp() {
    List<String> names = SharedLibrary.beside((File) null, NAME, LIKELY_MAJOR);
    CompilerFiles unused = files(names, LIKELY_MAJOR);
  }

  private static @Nullable CompilerFiles files(List<String> candidates, int major) {
    Path compiler = WANTED.locate(candidates);
    if (compiler == null) {
      return null;
    }
    Path targets = Comgr.locate(compiler, major);
    return CompilerFiles.now(
        HiprtcApi.PREFIX,
        targets == null ? List.of(compiler) : List.of(compiler, targets),
        VARIABLES);
  }

  /** The runtime itself if it has a compiler, else the libraries beside it. */
  private static List<String> candidates(SharedLibrary runtime, int major) {
    return runtime.linked(SYMBOL, runtime.beside(NAME, major));
  }

  @Override
  protected String architectureOption(String architecture, List<String> options, String what) {
    targets.check(architecture, what);
    checkOptions(options, what);
    return ARCHITECTURE + architecture;
  }

  /** Refuses options that choose an architecture: an unknown one would end the process. */
  private static void checkOptions(List<String> options, String what) {
    for (String option : options) {
      if (ARCHITECTURE_OPTIONS.stream().anyMatch(option::startsWith)) {
        throw new HalException(
            Status.INVALID_ARGUMENT,
            ("cannot compile %s: the option %s chooses an architecture, which the device"
                    + " at hand does")
                .formatted(what, option));
      }
    }
  }

  /** It ignores the name of a program: its messages have that of a temporary file instead. */
  @Override
  protected String text(String name, String text) {
    return SourceCode.lineOne(name) + text;
  }

  /** All but those by which HIP's headers are told what to declare. */
  @Override
  protected boolean isForSource(String macro) {
    return !macro.startsWith("HIP_");
  }

  @Override
  protected byte[] code(Pointer program, List<String> options) {
    LongByReference size = new LongByReference();
    return bytes(api.getCodeSize(program, size), size, target -> api.getCode(program, target));
  }
}
