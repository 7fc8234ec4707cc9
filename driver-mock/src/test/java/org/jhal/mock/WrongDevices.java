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

/** What a driver's author may get wrong in a device, or before there is one. */
final class WrongDevices {
  private WrongDevices() {}

  /** What the driver makes of a device URI that drops the options that it does not know. */
  static String withoutUnknownOptions(String uri) {
    DeviceUri asked = DeviceUri.parse(uri);
    Map<String, String> options = new TreeMap<>(asked.options());
    try (Device any = Hal.openDevice(asked.driver())) {
      options.keySet().retainAll(any.settings().stream().map(Setting::name).toList());
    }
    return new DeviceUri(asked.driver(), asked.selector(), options).toString();
  }

  /** Closing it only begins its end. */
  static final class ClosesLater extends ForwardingDevice {
    ClosesLater(Device right) {
      super(right);
    }

    @Override
    public void close() {
      new Thread(right::close, "closes-later").start();
    }
  }

  /** Whether it is lost it keeps to itself. */
  static final class HidesItsLoss extends ForwardingDevice {
    HidesItsLoss(Device right) {
      super(right);
    }

    @Override
    public @Nullable HalException lostCause() {
      return null;
    }
  }

  /** It claims access to every device, also to those that are closed. */
  static final class ClaimsAccess extends ForwardingDevice {
    ClaimsAccess(Device right) {
      super(right);
    }

    @Override
    public boolean canAccess(Device other) {
      return true;
    }
  }

  /** What it says of memory in use never falls. */
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
          now.graphs());
    }
  }
}
