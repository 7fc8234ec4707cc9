package org.jhal.cuda;

import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.Platform;
import com.sun.jna.Pointer;
import com.sun.jna.StringArray;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.gpu.RuntimeCompiler;
import org.jhal.driver.gpu.SharedLibrary;
import org.jhal.driver.gpu.WantedLibrary;
import org.jhal.driver.support.Once;
import org.jspecify.annotations.Nullable;

/**
 * NVIDIA's run-time compiler, which is a library of its own and need not be there.
 *
 * <p>Thread-safe.
 */
final class Nvrtc extends RuntimeCompiler {
  /** Where the library is, instead of where it is looked for: a system property. */
  static final String PROPERTY = "jhal.cuda.nvrtc";

  /** The same as an environment variable. */
  static final String VARIABLE = "JHAL_CUDA_NVRTC";

  private static final List<String> NAMES =
      Platform.isWindows()
          ? List.of("nvrtc64_130_0", "nvrtc64_120_0", "nvrtc64_112_0")
          : List.of("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so");

  /** Code for a device itself, not for a compiler in the driver. */
  private static final String FINAL = "--gpu-architecture=sm_";

  private static final WantedLibrary WANTED =
      new WantedLibrary(
          "NVRTC, which compiles sources,",
          "the CUDA toolkit, from 11.2 on",
          PROPERTY,
          VARIABLE,
          Status.UNIMPLEMENTED);

  private static final Once<Nvrtc> LOADED = Once.keepingFailure();

  private final Api api;
  private final int[] architectures; // that it makes code for; ascending

  /** The functions of nvrtc.h, under their names. */
  private interface Api extends Library {
    int nvrtcCreateProgram(
        PointerByReference program,
        String source,
        String name,
        int headerCount,
        @Nullable Pointer headers,
        @Nullable Pointer includeNames);

    int nvrtcDestroyProgram(PointerByReference program);

    int nvrtcCompileProgram(Pointer program, int optionCount, StringArray options);

    int nvrtcGetPTXSize(Pointer program, LongByReference size);

    int nvrtcGetPTX(Pointer program, Memory code);

    int nvrtcGetCUBINSize(Pointer program, LongByReference size);

    int nvrtcGetCUBIN(Pointer program, Memory code);

    int nvrtcGetProgramLogSize(Pointer program, LongByReference size);

    int nvrtcGetProgramLog(Pointer program, Memory log);

    int nvrtcGetNumSupportedArchs(int[] count);

    int nvrtcGetSupportedArchs(int[] architectures);

    String nvrtcGetErrorString(int code);
  }

  private Nvrtc(SharedLibrary library) {
    api = library.map(Api.class);
    int[] count = new int[1];
    check("nvrtcGetNumSupportedArchs", api.nvrtcGetNumSupportedArchs(count));
    architectures = new int[count[0]];
    check("nvrtcGetSupportedArchs", api.nvrtcGetSupportedArchs(architectures));
    Arrays.sort(architectures);
  }

  /**
   * The compiler.
   *
   * @throws HalException UNIMPLEMENTED if there is none, with where it was looked for
   */
  static Nvrtc load() {
    return LOADED.get(() -> new Nvrtc(WANTED.find(candidates(), "nvrtcGetSupportedArchs")));
  }

  private static List<String> candidates() {
    List<String> all = new ArrayList<>(NAMES);
    List<String> folders = new ArrayList<>();
    for (String variable : List.of("CUDA_HOME", "CUDA_PATH")) {
      String home = System.getenv(variable);
      if (home != null && !home.isEmpty()) {
        folders.add(home + (Platform.isWindows() ? "/bin" : "/lib64"));
      }
    }
    if (!Platform.isWindows()) {
      folders.add("/usr/local/cuda/lib64");
    }
    List<String> files =
        NAMES.stream().map(name -> Platform.isWindows() ? name + ".dll" : name).toList();
    folders.forEach(folder -> all.addAll(SharedLibrary.files(new File(folder), files)));
    return all;
  }

  /**
   * Compiles a source.
   *
   * @param name of the source, for the compiler's messages
   * @param capability of the device, such as 90
   * @param what is being loaded, for people
   * @return code for cuModuleLoadDataEx: for the very device if this compiler knows it, else PTX
   * @throws HalException INVALID_ARGUMENT if it does not compile, with the compiler's log
   */
  byte[] compile(String source, String name, List<String> options, int capability, String what) {
    boolean isKnown = Arrays.binarySearch(architectures, capability) >= 0;
    String architecture = isKnown ? FINAL + capability : newest(capability, what);
    return compile(source, name, architecture, options, what);
  }

  /** The newest virtual architecture that runs on a device which is newer than this compiler. */
  private String newest(int capability, String what) {
    int best = 0;
    for (int architecture : architectures) {
      if (architecture <= capability) {
        best = architecture;
      }
    }
    if (best == 0) {
      throw new HalException(
          Status.UNIMPLEMENTED,
          "cannot compile "
              + what
              + ": this NVRTC makes code for "
              + Arrays.toString(architectures)
              + " only");
    }
    return "--gpu-architecture=compute_" + best;
  }

  @Override
  protected int create(PointerByReference program, String source, String name) {
    return api.nvrtcCreateProgram(program, source, name, 0, null, null);
  }

  @Override
  protected int destroy(PointerByReference program) {
    return api.nvrtcDestroyProgram(program);
  }

  @Override
  protected int compile(Pointer program, int optionCount, StringArray options) {
    return api.nvrtcCompileProgram(program, optionCount, options);
  }

  @Override
  protected int logSize(Pointer program, LongByReference size) {
    return api.nvrtcGetProgramLogSize(program, size);
  }

  @Override
  protected int log(Pointer program, Memory log) {
    return api.nvrtcGetProgramLog(program, log);
  }

  @Override
  protected byte[] code(Pointer program, List<String> options) {
    LongByReference size = new LongByReference();
    return options.get(0).startsWith(FINAL)
        ? bytes(
            api.nvrtcGetCUBINSize(program, size),
            size,
            target -> api.nvrtcGetCUBIN(program, target))
        : bytes(
            api.nvrtcGetPTXSize(program, size), size, target -> api.nvrtcGetPTX(program, target));
  }

  @Override
  protected String errorString(int code) {
    return api.nvrtcGetErrorString(code);
  }
}
