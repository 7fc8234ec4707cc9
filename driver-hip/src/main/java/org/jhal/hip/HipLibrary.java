package org.jhal.hip;

import com.sun.jna.Platform;
import java.io.File;
import java.util.ArrayList;
import java.util.List;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.Lazy;
import org.jhal.gpu.natives.GpuLibrary;
import org.jhal.gpu.natives.GpuVendor;
import org.jhal.gpu.natives.SharedLibrary;
import org.jhal.gpu.natives.WantedCollectives;
import org.jhal.gpu.natives.WantedLibrary;
import org.jhal.hip.jna.HipApi;
import org.jhal.hip.jna.HipConstants;
import org.jhal.hip.jna.HipGraphApi;

/**
 * Loads and initialises the HIP runtime once per process, or reports why not. {@link HipApi} must
 * not be used before {@link #load} has returned.
 */
final class HipLibrary {
  static final WantedLibrary WANTED =
      new WantedLibrary("the HIP runtime", "ROCm", "jhal.hip.library", Status.UNAVAILABLE);

  private static final WantedLibrary RCCL =
      new WantedLibrary(
          "RCCL, which carries out collectives,", "ROCm", "jhal.hip.rccl", Status.UNIMPLEMENTED);

  private static final GpuVendor VENDOR =
      new GpuVendor(
          HipDriverProvider.NAME,
          "HIP",
          HipResult.CODES,
          HipGraphApi.API,
          HipConstants.HIP_LAUNCH_PARAM_END,
          new WantedCollectives(
              "RCCL", RCCL, List.of("librccl.so.1", "librccl.so", "/opt/rocm/lib/librccl.so.1")),
          List.of("HIP_LAUNCH_BLOCKING", "AMD_SERIALIZE_KERNEL", "CUDA_LAUNCH_BLOCKING"));

  private static final String NAME = "libamdhip64.so";
  private static final List<String> VERSIONS = List.of(".7", ".6", ".5", "");
  private static final String USUAL_FOLDER = "/opt/rocm/lib";

  private static final Lazy<GpuLibrary> LOADED = Lazy.keepingFailure();

  private HipLibrary() {}

  /** The major version of an encoded one, such as 6 for ROCm 6. */
  static int major(int version) {
    return version / 10_000_000;
  }

  /** Decodes a version: 50221153 is 5.2.21153. */
  private static String text(int version) {
    return major(version) + "." + version / 100_000 % 100 + "." + version % 100_000;
  }

  /**
   * Loads the library on the first call.
   *
   * @throws HalException UNAVAILABLE with the reason if there is no usable one, or no device; every
   *     call then throws the same failure
   */
  static GpuLibrary load() {
    return LOADED.get(HipLibrary::open);
  }

  private static GpuLibrary open() {
    if (!Platform.isLinux() || !Platform.is64Bit()) {
      throw new HalException(
          Status.UNAVAILABLE,
          "HIP is used on 64-bit Linux only, this is " + Platform.RESOURCE_PREFIX);
    }
    SharedLibrary library = WANTED.find(candidates(), "hipInit");
    WANTED.require(library, HipApi.API.symbols(), "that of ROCm 5.2");
    HipApi.API.bind(library);
    int[] version = new int[1];
    HipResult.CODES.check("runtimeGetVersion", HipApi.API.setup().runtimeGetVersion(version));
    return new GpuLibrary(VENDOR, library, version[0], text(version[0]), noGraphs(version[0]));
  }

  private static String noGraphs(int version) {
    return major(version) >= HipGraphs.FIRST_MAJOR
        ? ""
        : "the graphs of ROCm %s are known to be faulty; those from ROCm %s on are used"
            .formatted(major(version), HipGraphs.FIRST_MAJOR);
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
}
