package org.jhal.hip;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import com.sun.jna.StringArray;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import java.util.List;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.gpu.RuntimeCompiler;
import org.jhal.driver.gpu.SharedLibrary;
import org.jhal.driver.gpu.WantedLibrary;
import org.jhal.driver.support.Once;
import org.jhal.hip.jna.HiprtcApi;

/**
 * AMD's run-time compiler: a library of its own from ROCm 7 on, before that also a part of the
 * runtime.
 *
 * <p>Thread-safe.
 */
final class Hiprtc extends RuntimeCompiler {
  /** Where the library is, instead of where it is looked for: a system property. */
  static final String PROPERTY = "jhal.hip.hiprtc";

  /** The same as an environment variable. */
  static final String VARIABLE = "JHAL_HIP_HIPRTC";

  private static final String SYMBOL = "hiprtcCompileProgram";
  private static final String ARCHITECTURE = "--gpu-architecture=";
  private static final List<String> ARCHITECTURE_OPTIONS =
      List.of("--gpu-architecture", "--offload-arch", "-arch", "-mcpu", "--cuda-gpu-arch");

  private static final WantedLibrary WANTED =
      new WantedLibrary(
          "HIPRTC, which compiles sources,", "ROCm", PROPERTY, VARIABLE, Status.UNIMPLEMENTED);

  private static final Once<Hiprtc> LOADED = Once.keepingFailure();

  private final HiprtcApi api;
  private final Comgr targets;

  private Hiprtc(SharedLibrary compiler, int major) {
    api = compiler.map(HiprtcApi.class);
    targets = Comgr.of(compiler, major);
  }

  /**
   * The compiler that belongs to the runtime, of which a process has one.
   *
   * @throws HalException UNIMPLEMENTED if there is none, with where it was looked for
   */
  static Hiprtc load(SharedLibrary runtime, int major) {
    return LOADED.get(() -> new Hiprtc(find(runtime, major), major));
  }

  private static SharedLibrary find(SharedLibrary runtime, int major) {
    return !WANTED.isNamed() && runtime.has(SYMBOL)
        ? runtime
        : WANTED.find(runtime.beside("libhiprtc.so", major), SYMBOL);
  }

  /**
   * Compiles a source.
   *
   * @param name of the source, for the compiler's messages
   * @param architecture of the device, such as {@code gfx90a:sramecc+:xnack-}
   * @param what is being loaded, for people
   * @return a code object for hipModuleLoadData
   * @throws HalException INVALID_ARGUMENT if it does not compile, with the compiler's log, or if an
   *     option chooses an architecture; UNIMPLEMENTED if this compiler does not know the
   *     architecture
   */
  byte[] compile(
      String source, String name, List<String> options, String architecture, String what) {
    targets.check(architecture, what);
    checkOptions(options, what);
    return compile(source, name, ARCHITECTURE + architecture, options, what);
  }

  /** An architecture that the compiler does not know would end the process. */
  private static void checkOptions(List<String> options, String what) {
    for (String option : options) {
      if (ARCHITECTURE_OPTIONS.stream().anyMatch(option::startsWith)) {
        throw new HalException(
            Status.INVALID_ARGUMENT,
            "cannot compile "
                + what
                + ": the option "
                + option
                + " chooses an architecture, which the device at hand does");
      }
    }
  }

  @Override
  protected int create(PointerByReference program, String source, String name) {
    return api.hiprtcCreateProgram(program, source, name, 0, null, null);
  }

  @Override
  protected int destroy(PointerByReference program) {
    return api.hiprtcDestroyProgram(program);
  }

  @Override
  protected int compile(Pointer program, int optionCount, StringArray options) {
    return api.hiprtcCompileProgram(program, optionCount, options);
  }

  @Override
  protected int logSize(Pointer program, LongByReference size) {
    return api.hiprtcGetProgramLogSize(program, size);
  }

  @Override
  protected int log(Pointer program, Memory log) {
    return api.hiprtcGetProgramLog(program, log);
  }

  @Override
  protected byte[] code(Pointer program, List<String> options) {
    LongByReference size = new LongByReference();
    return bytes(
        api.hiprtcGetCodeSize(program, size), size, target -> api.hiprtcGetCode(program, target));
  }

  @Override
  protected String errorString(int code) {
    return api.hiprtcGetErrorString(code);
  }
}
