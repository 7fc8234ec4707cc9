// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import com.sun.jna.Platform;
import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.Lazy;
import org.jhal.gpu.GpuDriver;
import org.jhal.gpu.natives.DeviceReader;
import org.jhal.gpu.natives.GpuLibrary;
import org.jhal.gpu.natives.GpuProperties;
import org.jhal.gpu.natives.GpuVendor;
import org.jhal.gpu.natives.NativeBinding;
import org.jhal.gpu.natives.RangeMarks;
import org.jhal.gpu.natives.SharedLibrary;
import org.jhal.gpu.natives.WantedCollectives;
import org.jhal.gpu.natives.WantedLibrary;
import org.jhal.gpu.runtime.GpuRuntime;
import org.jhal.hip.jna.HipApi;
import org.jhal.hip.jna.HipConstants;
import org.jhal.hip.jna.HipGraphApi;
import org.jspecify.annotations.Nullable;

/**
 * Loads and initialises the HIP runtime once per process, or reports why not, and opens its
 * devices. {@link HipApi} must not be used before {@link #library} has returned.
 */
final class HipDriver extends GpuDriver {
  static final WantedLibrary WANTED =
      new WantedLibrary("the HIP runtime", "ROCm", "jhal.hip.library", Status.UNAVAILABLE);

  private static final WantedLibrary RCCL =
      new WantedLibrary(
          "RCCL, which carries out collectives,", "ROCm", "jhal.hip.rccl", Status.UNIMPLEMENTED);

  private static final List<String> NAMES =
      List.of("libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so");
  private static final String USUAL_FOLDER = "/opt/rocm/lib";

  private static final Lazy<GpuLibrary> LOADED = Lazy.keepingFailure();

  HipDriver() {
    super(HipDriverProvider.NAME, "jna");
  }

  @Override
  protected GpuLibrary load() {
    return library();
  }

  @Override
  protected DeviceReader reader() {
    return new HipAttributes();
  }

  @Override
  protected void warmUpCompiler() {
    Hiprtc.warmUp();
  }

  @Override
  protected RangeMarks rangeMarks() {
    return Roctx.load();
  }

  @Override
  protected GpuRuntime openRuntime(GpuProperties device, @Nullable NativeBinding calls) {
    return new HipRuntime(device, calls);
  }

  /** The major version of an encoded one, such as 6 for ROCm 6. */
  static int major(int version) {
    return version / 10_000_000;
  }

  /** Decodes a version: 50221153 is 5.2.21153. */
  private static String text(int version) {
    return major(version) + "." + version / 100_000 % 100 + "." + version % 100_000;
  }

  /** See {@link #load}. */
  static GpuLibrary library() {
    return LOADED.get(HipDriver::open);
  }

  /** Why no runtime can find a device; empty if one may. The second file is that of WSL. */
  static String absence() {
    return Stream.of("/dev/kfd", "/dev/dxg").anyMatch(file -> new File(file).exists())
        ? ""
        : "there is no AMD device: neither /dev/kfd nor /dev/dxg exists";
  }

  private static GpuLibrary open() {
    if (!Platform.isLinux() || !Platform.is64Bit()) {
      throw new HalException(
          Status.UNAVAILABLE,
          "HIP is used on 64-bit Linux only, this is " + Platform.RESOURCE_PREFIX);
    }
    SharedLibrary library = WANTED.find(candidates(), "hipInit", absence());
    WANTED.require(library, HipApi.API.symbols(), "that of ROCm 5.2");
    HipApi.API.bind(library);
    int[] version = new int[1];
    HipResult.CODES.check("runtimeGetVersion", HipApi.API.setup().runtimeGetVersion(version));
    GpuVendor vendor =
        new GpuVendor(
            HipDriverProvider.NAME,
            "HIP",
            HipResult.CODES,
            HipGraphApi.API,
            HipConstants.HIP_LAUNCH_PARAM_END,
            new WantedCollectives(
                "RCCL", RCCL, List.of("librccl.so.1", "librccl.so", "/opt/rocm/lib/librccl.so.1")),
            List.of("HIP_LAUNCH_BLOCKING", "AMD_SERIALIZE_KERNEL", "CUDA_LAUNCH_BLOCKING"));
    return new GpuLibrary(vendor, library, version[0], text(version[0]), noGraphs(version[0]));
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
    List<String> all = new ArrayList<>();
    String home = System.getenv("ROCM_PATH");
    if (home != null && !home.isEmpty()) {
      all.addAll(SharedLibrary.files(new File(home, "lib"), NAMES));
    }
    all.addAll(NAMES);
    all.addAll(SharedLibrary.files(new File(USUAL_FOLDER), NAMES));
    return all;
  }
}
