// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run;

import org.jhal.Device;
import org.jhal.DeviceStatistics;
import org.jhal.Executable;
import org.jhal.cts.Controls;
import org.jspecify.annotations.Nullable;

/** A device that the suite opened, with the resources that the suite itself keeps on it. */
final class OpenedDevice {
  private final CtsSession session;
  private final Device device;
  private final boolean isOfOtherDriver;
  private final @Nullable Controls controls;
  private volatile @Nullable Executable kernels; // set under this

  /**
   * Wraps an open device.
   *
   * @param isOfOtherDriver whether it is of another driver than the one under test
   */
  OpenedDevice(CtsSession session, Device device, boolean isOfOtherDriver) {
    this.session = session;
    this.device = device;
    this.isOfOtherDriver = isOfOtherDriver;
    this.controls = session.backend().controls(device).orElse(null);
  }

  Device device() {
    return device;
  }

  @Nullable Controls controls() {
    return controls;
  }

  /** Whether there are kernels for it. Those of the backend are for the driver under test. */
  boolean hasKernels() {
    return !isOfOtherDriver;
  }

  /** The suite's kernels, loaded at the first call and kept. Requires {@link #hasKernels}. */
  synchronized Executable kernels() {
    if (!hasKernels()) {
      throw new IllegalStateException(
          device + " is of another driver than the one under test, whose kernels it may not load");
    }
    if (kernels == null) {
      kernels = device.loadExecutable(session.backend().kernels().get(0));
    }
    return kernels;
  }

  /** How many live resources tests have created. Those that the suite keeps are not counted. */
  long liveResources(DeviceStatistics statistics) {
    return statistics.liveResources() - (kernels == null ? 0 : 1);
  }

  boolean isUsable() {
    return !device.isClosed() && device.lostCause() == null;
  }

  void close() {
    if (kernels != null) {
      kernels.close();
    }
    device.close();
  }
}
