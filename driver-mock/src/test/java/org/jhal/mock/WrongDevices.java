// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jhal.Device;
import org.jhal.DeviceStatistics;
import org.jhal.DeviceUri;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.Setting;
import org.jspecify.annotations.Nullable;

/** Defects of devices, and of drivers that open them. */
final class WrongDevices {
  private WrongDevices() {}

  /** Removes unknown options from a device URI instead of rejecting them. */
  static String withoutUnknownOptions(String uri) {
    DeviceUri asked = DeviceUri.parse(uri);
    Map<String, String> options = new TreeMap<>(asked.options());
    try (Device any = Hal.openDevice(asked.driver())) {
      options.keySet().retainAll(any.settings().stream().map(Setting::name).toList());
    }
    return new DeviceUri(asked.driver(), asked.selector(), options).toString();
  }

  /** Its close returns before the device is closed. */
  static final class ClosesLater extends ForwardingDevice {
    ClosesLater(Device right) {
      super(right);
    }

    @Override
    public void close() {
      new Thread(right::close, "closes-later").start();
    }
  }

  /** It does not report that it is lost. */
  static final class HidesItsLoss extends ForwardingDevice {
    HidesItsLoss(Device right) {
      super(right);
    }

    @Override
    public @Nullable HalException lostCause() {
      return null;
    }
  }

  /** It claims access to every device, even to closed ones. */
  static final class ClaimsAccess extends ForwardingDevice {
    ClaimsAccess(Device right) {
      super(right);
    }

    @Override
    public boolean canAccess(Device other) {
      return true;
    }
  }

  /** Its count of memory in use never falls. */
  static final class CountsUpOnly extends ForwardingDevice {
    private final AtomicLong most = new AtomicLong();

    CountsUpOnly(Device right) {
      super(right);
    }

    @Override
    public DeviceStatistics statistics() {
      DeviceStatistics now = right.statistics();
      return new DeviceStatistics(
          now.buffers(),
          most.accumulateAndGet(now.bytes(), Math::max),
          now.commandBuffers(),
          now.executables(),
          now.semaphores(),
          now.parked(),
          now.ready(),
          now.issued(),
          now.settled(),
          now.enqueued(),
          now.retired(),
          now.failed(),
          now.uploadedBytes(),
          now.readbackBytes(),
          now.graphs());
    }
  }
}
