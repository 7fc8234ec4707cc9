package org.jhal.hip;

import org.jhal.gpu.GpuDriver;
import org.jhal.gpu.natives.DeviceReader;
import org.jhal.gpu.natives.GpuLibrary;
import org.jhal.gpu.natives.GpuProperties;
import org.jhal.gpu.natives.RangeMarks;
import org.jhal.gpu.runtime.GpuRuntime;

/** The driver of {@link HipRuntime}s. */
final class HipDriver extends GpuDriver {
  HipDriver() {
    super(HipDriverProvider.NAME);
  }

  @Override
  protected GpuLibrary load() {
    return HipLibrary.load();
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
  protected GpuRuntime openRuntime(GpuProperties device) {
    return new HipRuntime(device);
  }
}
