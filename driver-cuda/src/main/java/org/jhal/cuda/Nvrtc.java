package org.jhal.cuda;

import com.sun.jna.Memory;
import com.sun.jna.Platform;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.LongByReference;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.gpu.CompilerApi;
import org.jhal.driver.gpu.CompilerFiles;
import org.jhal.driver.gpu.RuntimeCompiler;
import org.jhal.driver.gpu.SharedLibrary;
import org.jhal.driver.gpu.WantedLibrary;
import org.jhal.driver.support.Once;
import org.jspecify.annotations.Nullable;

/**
 * NVIDIA's run-time compiler, a separate library that is optional.
 *
 * <p>Thread-safe.
 */
final class Nvrtc extends RuntimeCompiler {
  /** The name of the compiler; also the prefix of its functions. */
  static final String NAME = "nvrtc";

  /** The system property that names the file of the library. */
  static final String PROPERTY = "jhal.cuda.nvrtc";

  /** The environment variable that names the file of the library. */
  static final String VARIABLE = "JHAL_CUDA_NVRTC";

  private static final List<String> NAMES =
      Platform.isWindows()
          ? List.of("nvrtc64_130_0", "nvrtc64_120_0", "nvrtc64_112_0")
          : List.of("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so");

  private static final String SYMBOL = "nvrtcGetSupportedArchs";

  /** The option for a real architecture, whose code needs no compiler in the driver. */
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
  private final int[] architectures; // those that it supports, ascending

  /** The functions of nvrtc.h, without their prefix. */
  private interface Api extends CompilerApi {
    int getPTXSize(Pointer program, LongByReference size);

    int getPTX(Pointer program, Memory code);

    int getCUBINSize(Pointer program, LongByReference size);

    int getCUBIN(Pointer program, Memory code);

    int getNumSupportedArchs(int[] count);

    int getSupportedArchs(int[] architectures);
  }

  private Nvrtc(SharedLibrary library) {
    this(library, library.map(Api.class, NAME));
  }

  private Nvrtc(SharedLibrary library, Api api) {
    super(api, Collections.singletonList(library.file(SYMBOL)));
    this.api = api;
    int[] count = new int[1];
    check("GetNumSupportedArchs", api.getNumSupportedArchs(count));
    architectures = new int[count[0]];
    check("GetSupportedArchs", api.getSupportedArchs(architectures));
    Arrays.sort(architectures);
  }

  /**
   * Loads the compiler on the first call.
   *
   * @throws HalException UNIMPLEMENTED if there is none; the message says where it was looked for
   */
  static Nvrtc load() {
    return LOADED.get(() -> new Nvrtc(WANTED.find(candidates(), SYMBOL)));
  }

  /** The compiler that would be loaded; null if its file is not found. */
  static @Nullable CompilerFiles files() {
    Path file = WANTED.locate(candidates());
    return file == null ? null : CompilerFiles.now(NAME, List.of(file), List.of());
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
    List<String> files = new ArrayList<>();
    for (String name : NAMES) {
      files.add(Platform.isWindows() ? name + ".dll" : name);
    }
    for (String folder : folders) {
      all.addAll(SharedLibrary.files(new File(folder), files));
    }
    return all;
  }

  /**
   * Selects the device's own architecture if this compiler supports it, else PTX for an older one.
   */
  @Override
  protected String architectureOption(String architecture, List<String> options, String what) {
    int capability = CudaAttributes.capability(architecture);
    boolean isKnown = Arrays.binarySearch(architectures, capability) >= 0;
    return isKnown ? FINAL + capability : newest(capability, what);
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
  protected byte[] code(Pointer program, List<String> options) {
    LongByReference size = new LongByReference();
    return options.get(0).startsWith(FINAL)
        ? bytes(api.getCUBINSize(program, size), size, target -> api.getCUBIN(program, target))
        : bytes(api.getPTXSize(program, size), size, target -> api.getPTX(program, target));
  }
}
