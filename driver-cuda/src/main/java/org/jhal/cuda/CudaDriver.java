package org.jhal.cuda;

import org.jhal.gpu.GpuDriver;
import org.jhal.gpu.compile.CompilerFiles;
import org.jhal.gpu.natives.DeviceReader;
import org.jhal.gpu.natives.GpuLibrary;
import org.jhal.gpu.natives.GpuProperties;
import org.jhal.gpu.natives.RangeMarks;
import org.jhal.gpu.runtime.GpuRuntime;

/** The driver of {@link CudaRuntime}s. */
class CudaDriver extends GpuDriver {
  CudaDriver() {
    super(CudaDriverProvider.NAME);
  }

  @Override
  protected GpuLibrary load() {
    return CudaLibrary.load();
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
  protected GpuRuntime openRuntime(GpuProperties device) {
    return new CudaRuntime(device);
  }
}
