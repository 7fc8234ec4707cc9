// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import com.sun.jna.Memory;
import com.sun.jna.Platform;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.LongByReference;
import java.io.File;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.Lazy;
import org.jhal.gpu.compile.CompilerApi;
import org.jhal.gpu.compile.CompilerFiles;
import org.jhal.gpu.compile.RuntimeCompiler;
import org.jhal.gpu.natives.SharedLibrary;
import org.jhal.gpu.natives.WantedLibrary;
import org.jspecify.annotations.Nullable;

/**
 * NVIDIA's run-time compiler, a separate, optional library. Of several installed versions, the one
 * whose code fits the device and the driver best is used.
 *
 * <p>Thread-safe.
 */
final class Nvrtc extends RuntimeCompiler {
  /** The name of the compiler; also the prefix of its functions. */
  static final String NAME = "nvrtc";

  /** The option by which it fuses no products. */
  static final String UNFUSED = "--fmad=false";

  private static final System.Logger LOG = System.getLogger(Nvrtc.class.getName());

  private static final List<String> NAMES =
      Platform.isWindows()
          ? List.of("nvrtc64_130_0.dll", "nvrtc64_120_0.dll", "nvrtc64_112_0.dll")
          : List.of("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so");

  private static final String SYMBOL = "nvrtcGetSupportedArchs";
  private static final String ORIGIN = "the CUDA toolkit, from 11.2 on";

  /** The option for a real architecture, whose code needs no compiler in the driver. */
  private static final String FINAL = "--gpu-architecture=sm_";

  private static final String VIRTUAL = "--gpu-architecture=compute_";

  static final WantedLibrary WANTED =
      new WantedLibrary(
          "NVRTC, which compiles sources,", ORIGIN, "jhal.cuda.nvrtc", Status.UNIMPLEMENTED);

  /** The one for each architecture. */
  private static final Map<String, Lazy<Nvrtc>> CHOSEN = new ConcurrentHashMap<>();

  private final Api api;
  private final int version; // as the driver writes its own: 12080 for 12.8
  private final int[] architectures; // those that it supports, ascending

  /** The code that a compiler can make for a device, best first. */
  private enum Code {
    /** A cubin. A driver takes those of its own major version and of older ones. */
    CUBIN,
    /** PTX of no newer version than the driver's, which compiles it. */
    PTX,
    /** PTX of a newer version, which the driver may refuse. */
    NEWER_PTX,
    NONE
  }

  /** The functions of nvrtc.h, without their prefix. */
  interface Api extends CompilerApi {
    int version(int[] major, int[] minor);

    int getPTXSize(Pointer program, LongByReference size);

    int getPTX(Pointer program, Memory code);

    int getCUBINSize(Pointer program, LongByReference size);

    int getCUBIN(Pointer program, Memory code);

    int getNumSupportedArchs(int[] count);

    int getSupportedArchs(int[] architectures);
  }

  private Nvrtc(SharedLibrary library, Api api, int version) {
    super(
        "NVRTC " + CudaDriver.text(version) + " (" + library.path() + ")",
        api,
        Collections.singletonList(library.file(SYMBOL)));
    this.api = api;
    this.version = version;
    int[] count = new int[1];
    check("GetNumSupportedArchs", api.getNumSupportedArchs(count));
    architectures = new int[count[0]];
    check("GetSupportedArchs", api.getSupportedArchs(architectures));
    Arrays.sort(architectures);
  }

  static int version(Api api) {
    int[] major = new int[1];
    int[] minor = new int[1];
    check(api, "Version", api.version(major, minor));
    return 1000 * major[0] + 10 * minor[0];
  }

  /**
   * Loads the compiler for an architecture on the first call.
   *
   * @param architecture of the device, as in {@link org.jhal.gpu.natives.GpuProperties}
   */
  static Nvrtc load(String architecture) {
    return CHOSEN
        .computeIfAbsent(architecture, missing -> Lazy.keepingFailure())
        .get(() -> choose(architecture));
  }

  /**
   * Searches for the best compiler for an architecture.
   *
   * @throws HalException UNIMPLEMENTED if there is none; the message has the searched places, or
   *     the targets of those found
   */
  private static Nvrtc choose(String architecture) {
    int capability = CudaAttributes.capability(architecture);
    int driver = CudaDriver.library().number();
    Map<Code, Nvrtc> offers = new EnumMap<>(Code.class); // the first for each kind of code
    List<String> seen = new ArrayList<>(); // for messages
    List<SharedLibrary> unused =
        WANTED.findAll(
            candidates(),
            SYMBOL,
            library -> {
              try {
                Api api = WANTED.map(library, Api.class, NAME, "that of CUDA 11.2");
                Nvrtc offered = new Nvrtc(library, api, version(api));
                seen.add(offered + " for " + offered.targets());
                offers.putIfAbsent(offered.codeFor(capability, driver), offered);
              } catch (HalException e) {
                if (e.status() == Status.RESOURCE_EXHAUSTED) {
                  throw e;
                }
                seen.add(library.path() + " (" + e.getMessage() + ")");
              }
              return offers.containsKey(Code.CUBIN);
            });
    String looked = "looked at " + String.join(", ", seen);
    offers.remove(Code.NONE);
    if (offers.isEmpty()) {
      throw new HalException(
          Status.UNIMPLEMENTED,
          "no NVRTC makes code for %s; it comes with %s; %s"
              .formatted(architecture, ORIGIN, looked));
    }
    Map.Entry<Code, Nvrtc> best = offers.entrySet().iterator().next();
    if (best.getKey() != Code.CUBIN || seen.size() > 1) {
      LOG.log(
          Level.INFO,
          "sources for {0} are compiled by {1} as {2}, for a driver of CUDA {3}; {4}",
          architecture,
          best.getValue(),
          best.getKey() == Code.CUBIN ? "cubin" : "PTX",
          CudaDriver.text(driver),
          looked);
    }
    return best.getValue();
  }

  private String targets() {
    return architectures.length == 0
        ? "nothing"
        : "sm_" + architectures[0] + " to sm_" + architectures[architectures.length - 1];
  }

  private Code codeFor(int capability, int driver) {
    boolean isKnown = Arrays.binarySearch(architectures, capability) >= 0;
    if (isKnown && CudaDriver.major(version) <= CudaDriver.major(driver)) {
      return Code.CUBIN;
    }
    if (newest(capability) == 0) {
      return Code.NONE;
    }
    return version <= driver ? Code.PTX : Code.NEWER_PTX;
  }

  /** The newest virtual architecture that runs on a device; 0 if there is none. */
  private int newest(int capability) {
    return Arrays.stream(architectures).filter(one -> one <= capability).max().orElse(0);
  }

  /** The candidate compilers for a driver of this version of CUDA; null if no file is found. */
  static @Nullable CompilerFiles files(String cuda) {
    List<Path> files = WANTED.locateAll(candidates());
    return files.isEmpty() ? null : CompilerFiles.now(NAME + " for CUDA " + cuda, files, List.of());
  }

  private static List<String> candidates() {
    List<String> all = new ArrayList<>(NAMES);
    List<@Nullable String> homes =
        Arrays.asList(System.getenv("CUDA_HOME"), System.getenv("CUDA_PATH"), "/usr/local/cuda");
    for (String home : homes) {
      if (home != null && !home.isEmpty()) {
        File folder = new File(home, Platform.isWindows() ? "bin" : "lib64");
        all.addAll(SharedLibrary.files(folder, NAMES));
      }
    }
    return all;
  }

  /** Selects the device's own architecture if it is usable, else PTX for an older one. */
  @Override
  protected String architectureOption(String architecture, List<String> options, String what) {
    int capability = CudaAttributes.capability(architecture);
    Code code = codeFor(capability, CudaDriver.library().number());
    return code == Code.CUBIN ? FINAL + capability : VIRTUAL + newest(capability);
  }

  @Override
  protected boolean isForSource(String macro) {
    return true;
  }

  @Override
  protected byte[] code(Pointer program, List<String> options) {
    LongByReference size = new LongByReference();
    return options.get(0).startsWith(FINAL)
        ? bytes(api.getCUBINSize(program, size), size, target -> api.getCUBIN(program, target))
        : bytes(api.getPTXSize(program, size), size, target -> api.getPTX(program, target));
  }
}
