// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock.cts;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jhal.Device;
import org.jhal.DeviceQueue;
import org.jhal.DeviceUri;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cts.Controls;
import org.jhal.cts.CtsBackend;
import org.jhal.mock.MockControls;
import org.jhal.mock.MockDriverProvider;

/** The mock driver as the conformance suite sees it. */
public class MockCtsBackend implements CtsBackend {
  /** The name under which the mock is a second driver. */
  private static final String OTHER = "mock-b";

  /** For the service loader. */
  public MockCtsBackend() {}

  @Override
  public String driver() {
    return "mock";
  }

  /** A device with another index, whatever the first one's is. */
  @Override
  public Optional<Device> openSecond(String uri) {
    DeviceUri first = DeviceUri.parse(uri);
    Map<String, String> options = new TreeMap<>(first.options());
    if (options.getOrDefault("devices", "1").equals("1")) {
      options.put("devices", "2");
    }
    String selector = first.selector().equals("1") ? "0" : "1";
    return Optional.of(open(new DeviceUri(driver(), selector, options).toString()));
  }

  @Override
  public boolean sharesEvents() {
    return true;
  }

  /**
   * The driver under another name. It is not a service, since it would be listed wherever the suite
   * is installed.
   */
  @Override
  public Optional<Device> openOther() {
    return Optional.of(
        new MockDriverProvider(OTHER).create().open(new DeviceUri(OTHER, "", Map.of())));
  }

  @Override
  public Optional<String> memoryLimit(long bytes) {
    return Optional.of("memory=" + bytes);
  }

  @Override
  public Optional<Controls> controls(Device device) {
    return Optional.of(new MockCtsControls(device, mockControls(device)));
  }

  /** The mock's own view of a device that {@link #open} returned. */
  protected MockControls mockControls(Device device) {
    return MockControls.of(device);
  }

  private record MockCtsControls(Device device, MockControls mock) implements Controls {
    @Override
    public void pause(DeviceQueue queue) {
      mock.pause(queue);
    }

    @Override
    public void resume(DeviceQueue queue) {
      mock.resume(queue);
    }

    @Override
    public boolean pauseGroups() {
      return mock.pauseGroups();
    }

    @Override
    public void resumeGroups() {
      mock.resumeGroups();
    }

    @Override
    public Set<String> calls() {
      return mock.calls();
    }

    @Override
    public void failNext(String call, int nth, Status status, boolean sticky) {
      if (status == Status.UNAVAILABLE && !sticky) {
        mock.reportLossOnce();
      }
      mock.failNth(call, nth, Controls.injected(call, nth, status, sticky));
    }

    @Override
    public String leftovers() {
      return mock.leftovers();
    }

    @Override
    public void loseDevice(HalException cause) {
      mock.lose(cause);
    }

    @Override
    public void reset() {
      mock.clearFaults();
      mock.resumeAll();
    }
  }
}
