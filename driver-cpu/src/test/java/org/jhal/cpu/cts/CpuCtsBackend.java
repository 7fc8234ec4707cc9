// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.cts;

import java.util.Optional;
import org.jhal.Device;
import org.jhal.cpu.CpuControls;
import org.jhal.cpu.compile.HostCompiler;
import org.jhal.cts.Controls;
import org.jhal.cts.CtsBackend;

/**
 * The driver as the conformance suite sees it. The system property {@code jhal.cpu.cts.device} is
 * the device of a run that a machine without a compiler skips; {@code jhal.cts.device} names one
 * that must run.
 */
public final class CpuCtsBackend implements CtsBackend {
  /** For the service loader. */
  public CpuCtsBackend() {}

  @Override
  public String driver() {
    return "cpu";
  }

  @Override
  public String uri() {
    return System.getProperty("jhal.cpu.cts.device", driver());
  }

  /** Prebuilt kernels run without a compiler, and the suite's own are sources. */
  @Override
  public Optional<String> unavailable() {
    return HostCompiler.find().isPresent()
        ? CtsBackend.super.unavailable()
        : Optional.of(HostCompiler.absence());
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
