package org.jhal.cuda;

import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.gpu.GpuDriver;
import org.jhal.gpu.compile.CompilerFiles;
import org.jhal.gpu.natives.DeviceReader;
import org.jhal.gpu.natives.GpuProperties;
import org.jhal.gpu.natives.RangeMarks;
import org.jhal.gpu.runtime.GpuRuntime;

/** The driver of {@link CudaRuntime}s. */
class CudaDriver extends GpuDriver {
  CudaDriver() {
    super(CudaDriverProvider.NAME);
  }

  @Override
  protected String version() {
    return "CUDA " + CudaLibrary.load().version();
  }

  @Override
  protected int count() {
    CudaLibrary library = CudaLibrary.load();
    int[] count = new int[1];
    CudaResult.CODES.check("getDeviceCount", JCudaApi.API.setup().getDeviceCount(count));
    if (count[0] == 0) {
      throw new HalException(
          Status.UNAVAILABLE, "the NVIDIA driver (" + library.path() + ") has no device");
    }
    return count[0];
  }

  @Override
  protected DeviceReader reader() {
    return new CudaAttributes(CudaLibrary.load());
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
  protected GpuRuntime openRuntime(GpuProperties device) {
    return new CudaRuntime(device);
  }
}
