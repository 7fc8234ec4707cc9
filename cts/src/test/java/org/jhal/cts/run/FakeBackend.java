// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jhal.Device;
import org.jhal.cts.CtsBackend;

/** A backend of fake devices. */
class FakeBackend implements CtsBackend {
  final List<FakeDevice> opened = new ArrayList<>();

  @Override
  public String driver() {
    return "fake";
  }

  @Override
  public Optional<String> unavailable() {
    return Optional.empty();
  }

  @Override
  public Device open(String uri) {
    FakeDevice device = new FakeDevice(uri);
    opened.add(device);
    return device;
  }

  @Override
  public Optional<Device> openSecond(String uri) {
    return Optional.empty();
  }
}
