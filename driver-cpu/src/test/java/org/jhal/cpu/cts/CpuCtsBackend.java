package org.jhal.cpu.cts;

import java.util.Optional;
import org.jhal.Device;
import org.jhal.cpu.CpuControls;
import org.jhal.cts.Controls;
import org.jhal.cts.CtsBackend;

/** The driver as the conformance suite sees it. */
public final class CpuCtsBackend implements CtsBackend {
  /** For the service loader. */
  public CpuCtsBackend() {}

  @Override
  public String driver() {
    return "cpu";
  }

  @Override
  public Device open(String uri) {
    return CpuControls.open(uri);
  }

  @Override
  public boolean sharesEvents() {
    return true;
  }

  @Override
  public Optional<Controls> controls(Device device) {
    return CpuControls.of(device);
  }

  @Override
  public Optional<String> memoryLimit(long bytes) {
    return Optional.of("memory=" + bytes);
  }
}
