package org.jhal.cuda;

import com.sun.jna.Function;
import com.sun.jna.Platform;
import java.util.List;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.Lazy;
import org.jhal.gpu.natives.ResultCodes;
import org.jhal.gpu.natives.SharedLibrary;
import org.jhal.gpu.natives.WantedLibrary;
import org.jspecify.annotations.Nullable;

/**
 * Loads and initialises the CUDA driver API once per process, or reports why not. {@link JCudaApi}
 * must not be used before {@link #load} has returned.
 */
final class CudaLibrary {
  /** The system property that names the file of the library. */
  static final String PROPERTY = "jhal.cuda.library";

  /** The environment variable that names the file of the library. */
  static final String VARIABLE = "JHAL_CUDA_LIBRARY";

  /** CUDA 11.2, the first version with stream-ordered memory allocation. */
  private static final int MIN_VERSION = 11020;

  /** The systems for which JCuda has native libraries. */
  private static final List<String> PLATFORMS = List.of("linux-x86-64", "win32-x86-64");

  private static final WantedLibrary WANTED =
      new WantedLibrary(
          "the library of the NVIDIA driver",
          "the NVIDIA driver",
          PROPERTY,
          VARIABLE,
          Status.UNAVAILABLE);

  private static final Lazy<CudaLibrary> LOADED = Lazy.keepingFailure();

  private final SharedLibrary library;
  private final int version;
  private final List<String> missingForGraphs;

  private CudaLibrary(SharedLibrary library, int version) {
    this.library = library;
    this.version = version;
    this.missingForGraphs = library.missing(CudaGraphs.Api.API.symbols());
    if (missingForGraphs.isEmpty()) {
      CudaGraphs.Api.API.bind(library);
    }
  }

  boolean hasGraphs() {
    return missingForGraphs.isEmpty();
  }

  /** Whether graphs can be used, and if not, why; a text. */
  String graphs() {
    return hasGraphs()
        ? "available"
        : "not available: CUDA 12 is needed; "
            + path()
            + " lacks "
            + String.join(", ", missingForGraphs);
  }

  @Nullable Function optional(String symbol) {
    return library.optional(symbol);
  }

  /** The version of the driver API, such as {@code 13.0}. */
  String version() {
    return text(version);
  }

  /** The version as the driver API encodes it: 13.0 as 13000. */
  int number() {
    return version;
  }

  /** Encodes a version as the driver API does. */
  static int number(int major, int minor) {
    return 1000 * major + 10 * minor;
  }

  static int major(int version) {
    return version / 1000;
  }

  static String text(int version) {
    return major(version) + "." + version % 1000 / 10;
  }

  String path() {
    return library.path();
  }

  /**
   * Loads the library on the first call.
   *
   * @throws HalException UNAVAILABLE with the reason if there is no usable one; every call then
   *     throws the same failure
   */
  static CudaLibrary load() {
    return LOADED.get(CudaLibrary::open);
  }

  private static CudaLibrary open() {
    if (!PLATFORMS.contains(Platform.RESOURCE_PREFIX)) {
      throw unavailable(
          "JCuda has no native library for "
              + Platform.RESOURCE_PREFIX
              + ", only for "
              + String.join(" and ", PLATFORMS));
    }
    SharedLibrary library =
        WANTED.find(List.of(Platform.isWindows() ? "nvcuda" : "libcuda.so.1"), "cuInit");
    WANTED.require(library, JCudaApi.API.symbols(), "one for CUDA " + text(MIN_VERSION));
    JCudaNatives.load();
    JCudaApi.API.bind(library);
    int[] version = new int[1];
    CudaResult.CODES.check("driverGetVersion", JCudaApi.API.setup().driverGetVersion(version));
    if (version[0] < MIN_VERSION) {
      throw unavailable(
          "the NVIDIA driver supports CUDA "
              + text(version[0])
              + "; JHAL needs "
              + text(MIN_VERSION)
              + " or newer");
    }
    int code = JCudaApi.API.setup().init(0);
    if (code != ResultCodes.SUCCESS) {
      throw new HalException(
          Status.UNAVAILABLE,
          "cuInit returned " + CudaResult.CODES.describe(code),
          null,
          CudaResult.CODES.nativeCode(code));
    }
    return new CudaLibrary(library, version[0]);
  }

  private static HalException unavailable(String reason) {
    return new HalException(Status.UNAVAILABLE, reason);
  }
}
