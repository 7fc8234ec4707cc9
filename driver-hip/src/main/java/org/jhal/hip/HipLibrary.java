package org.jhal.hip;

import com.sun.jna.Platform;
import java.io.File;
import java.util.ArrayList;
import java.util.List;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.Lazy;
import org.jhal.gpu.natives.ResultCodes;
import org.jhal.gpu.natives.SharedLibrary;
import org.jhal.gpu.natives.WantedLibrary;
import org.jhal.hip.jna.HipApi;
import org.jhal.hip.jna.HipGraphApi;
import org.jhal.hip.jna.HipSetup;

/**
 * Loads and initialises the HIP runtime once per process, or reports why not. {@link HipApi} must
 * not be used before {@link #load} has returned.
 */
final class HipLibrary {
  /** The system property that names the file of the library. */
  static final String PROPERTY = "jhal.hip.library";

  /** The environment variable that names the file of the library. */
  static final String VARIABLE = "JHAL_HIP_LIBRARY";

  private static final String NAME = "libamdhip64.so";

  private static final List<String> VERSIONS = List.of(".7", ".6", ".5", "");
  private static final String AVAILABLE = "available";
  private static final String USUAL_FOLDER = "/opt/rocm/lib";

  private static final WantedLibrary WANTED =
      new WantedLibrary("the HIP runtime", "ROCm", PROPERTY, VARIABLE, Status.UNAVAILABLE);

  private static final Lazy<HipLibrary> LOADED = Lazy.keepingFailure();

  private final SharedLibrary library;
  private final int version;
  private final int deviceCount;
  private final String graphs;

  private HipLibrary(SharedLibrary library, int version, int deviceCount) {
    this.library = library;
    this.version = version;
    this.deviceCount = deviceCount;
    this.graphs = whetherGraphs(library, version);
    if (hasGraphs()) {
      HipGraphApi.API.bind(library);
    }
  }

  private static String whetherGraphs(SharedLibrary library, int version) {
    if (major(version) < HipGraphs.FIRST_MAJOR) {
      return "not available: the graphs of ROCm "
          + major(version)
          + " are not used, since they are known to be faulty; from ROCm "
          + HipGraphs.FIRST_MAJOR
          + " on they are";
    }
    List<String> missing = library.missing(HipGraphApi.API.symbols());
    return missing.isEmpty()
        ? AVAILABLE
        : "not available: " + library.path() + " lacks " + String.join(", ", missing);
  }

  boolean hasGraphs() {
    return graphs.equals(AVAILABLE);
  }

  /** Whether graphs can be used, and if not, why; a text. */
  String graphs() {
    return graphs;
  }

  SharedLibrary library() {
    return library;
  }

  String path() {
    return library.path();
  }

  /** The major version, such as 6 for ROCm 6. */
  int major() {
    return major(version);
  }

  private static int major(int version) {
    return version / 10_000_000;
  }

  /** The version of the runtime, such as {@code 6.3.42131}. */
  String version() {
    return text(version);
  }

  /** Decodes a version: 50221153 is 5.2.21153. */
  private static String text(int version) {
    return version / 10_000_000 + "." + version / 100_000 % 100 + "." + version % 100_000;
  }

  /** At least one. */
  int deviceCount() {
    return deviceCount;
  }

  /**
   * Loads the library on the first call.
   *
   * @throws HalException UNAVAILABLE with the reason if there is no usable one, or no device; every
   *     call then throws the same failure
   */
  static HipLibrary load() {
    return LOADED.get(HipLibrary::open);
  }

  private static HipLibrary open() {
    if (!Platform.isLinux() || !Platform.is64Bit()) {
      throw unavailable("HIP is used on 64-bit Linux only, this is " + Platform.RESOURCE_PREFIX);
    }
    SharedLibrary library = WANTED.find(candidates(), "hipInit");
    WANTED.require(library, HipApi.API.symbols(), "that of ROCm 5.2");
    HipApi.API.bind(library);
    HipSetup setup = HipApi.API.setup();
    int[] value = new int[1];
    HipResult.CODES.check("runtimeGetVersion", setup.runtimeGetVersion(value));
    int version = value[0];
    String what = "the HIP runtime " + text(version) + " (" + library.path() + ")";
    int code = setup.init(0);
    if (code == ResultCodes.SUCCESS) {
      code = setup.getDeviceCount(value);
      if (code == ResultCodes.SUCCESS && value[0] > 0) {
        return new HipLibrary(library, version, value[0]);
      }
    }
    if (code == ResultCodes.SUCCESS) {
      throw unavailable(what + " finds no device");
    }
    throw new HalException(
        Status.UNAVAILABLE,
        what
            + (HipResult.isNoDevice(code)
                ? " finds no device"
                : " cannot be initialised: it returned " + HipResult.CODES.describe(code)),
        null,
        HipResult.CODES.nativeCode(code));
  }

  /**
   * The candidates, newest version first: files in {@code $ROCM_PATH/lib}, names for the system,
   * files in the usual folder.
   */
  static List<String> candidates() {
    List<String> names = VERSIONS.stream().map(version -> NAME + version).toList();
    List<String> all = new ArrayList<>();
    String home = System.getenv("ROCM_PATH");
    if (home != null && !home.isEmpty()) {
      all.addAll(SharedLibrary.files(new File(home, "lib"), names));
    }
    all.addAll(names);
    all.addAll(SharedLibrary.files(new File(USUAL_FOLDER), names));
    return all;
  }

  private static HalException unavailable(String reason) {
    return new HalException(Status.UNAVAILABLE, reason);
  }
}
