package org.jhal.hip;

import org.jhal.gpu.GpuDriver;
import org.jhal.gpu.natives.DeviceReader;
import org.jhal.gpu.natives.GpuProperties;
import org.jhal.gpu.natives.RangeMarks;
import org.jhal.gpu.runtime.GpuRuntime;

/** The driver of {@link HipRuntime}s. */
final class HipDriver extends GpuDriver {
  HipDriver() {
    super(HipDriverProvider.NAME);
  }

  @Override
  protected String version() {
    return "HIP " + HipLibrary.load().version();
  }

  @Override
  protected int count() {
    return HipLibrary.load().deviceCount();
  }

  @Override
  protected DeviceReader reader() {
    return new HipAttributes(HipLibrary.load());
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
  protected GpuRuntime openRuntime(GpuProperties device) {
    return new HipRuntime(device);
  }
}
