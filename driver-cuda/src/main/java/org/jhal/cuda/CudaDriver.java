// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import com.sun.jna.Platform;
import java.util.List;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.Lazy;
import org.jhal.gpu.GpuDriver;
import org.jhal.gpu.compile.CompilerFiles;
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
import org.jspecify.annotations.Nullable;

/**
 * Loads and initialises the CUDA driver API once per process, or reports why not, and opens its
 * devices. {@link JCudaApi} must not be used before {@link #library} has returned.
 */
class CudaDriver extends GpuDriver {
  static final WantedLibrary WANTED =
      new WantedLibrary(
          "the library of the NVIDIA driver",
          "the NVIDIA driver",
          "jhal.cuda.library",
          Status.UNAVAILABLE);

  private static final WantedLibrary NCCL =
      new WantedLibrary(
          "NCCL, which carries out collectives,",
          "NVIDIA's packages for it (libnccl2), or PyTorch",
          "jhal.cuda.nccl",
          Status.UNIMPLEMENTED);

  /** CUDA 11.2, the first version with stream-ordered memory allocation. */
  private static final int MIN_VERSION = 11020;

  /** The first version whose graphs have all functions of {@link CudaGraphs.Api}. */
  private static final int GRAPHS_VERSION = 12000;

  private static final Lazy<GpuLibrary> LOADED = Lazy.keepingFailure();

  CudaDriver() {
    super(CudaDriverProvider.NAME, "jcuda");
  }

  @Override
  protected GpuLibrary load() {
    return library();
  }

  @Override
  protected DeviceReader reader() {
    return new CudaAttributes();
  }

  @Override
  protected void warmUpCompiler() {
    CompilerFiles unused = Nvrtc.files("");
  }

  @Override
  protected RangeMarks rangeMarks() {
    return Nvtx.load();
  }

  @Override
  protected GpuRuntime openRuntime(GpuProperties device, @Nullable NativeBinding calls) {
    return new CudaRuntime(device, calls);
  }

  /** The major version of one that the driver API has encoded: 13 for 13000, which is 13.0. */
  static int major(int version) {
    return version / 1000;
  }

  static String text(int version) {
    return major(version) + "." + version % 1000 / 10;
  }

  /** See {@link #load}. */
  static GpuLibrary library() {
    return LOADED.get(CudaDriver::open);
  }

  private static GpuLibrary open() {
    SharedLibrary library =
        WANTED.find(List.of(Platform.isWindows() ? "nvcuda" : "libcuda.so.1"), "cuInit");
    WANTED.require(library, JCudaApi.API.symbols(), "one for CUDA " + text(MIN_VERSION));
    JCudaApi.API.bind(library);
    int[] version = new int[1];
    CudaResult.CODES.check("driverGetVersion", JCudaApi.API.setup().driverGetVersion(version));
    if (version[0] < MIN_VERSION) {
      throw new HalException(
          Status.UNAVAILABLE,
          "the NVIDIA driver supports CUDA %s; JHAL needs %s or newer"
              .formatted(text(version[0]), text(MIN_VERSION)));
    }
    GpuVendor vendor =
        new GpuVendor(
            CudaDriverProvider.NAME,
            "CUDA",
            CudaResult.CODES,
            CudaGraphs.Api.API,
            0, // CU_LAUNCH_PARAM_END
            new WantedCollectives("NCCL", NCCL, List.of("libnccl.so.2", "libnccl.so")),
            List.of("CUDA_LAUNCH_BLOCKING"));
    return new GpuLibrary(
        vendor,
        library,
        version[0],
        text(version[0]),
        version[0] < GRAPHS_VERSION ? "CUDA 12 is needed" : "");
  }
}
