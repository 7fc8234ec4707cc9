// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.twin;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jhal.Device;
import org.jhal.DeviceUri;
import org.jhal.Hal;
import org.jhal.cts.Controls;
import org.jhal.cts.CtsBackend;

/** A twin as the conformance suite sees it. */
public final class TwinCtsBackend implements CtsBackend {
  private static final String MEMORY = "memory"; // an option of the two devices

  /** For the service loader. */
  public TwinCtsBackend() {}

  @Override
  public String driver() {
    return TwinDriver.NAME;
  }

  @Override
  public Device open(String uri) {
    DeviceUri twin = DeviceUri.parse(uri);
    Map<String, String> options = new LinkedHashMap<>(twin.options());
    String memory = options.remove(MEMORY);
    if (memory != null) {
      for (String device : List.of("first", "second")) {
        options.computeIfPresent(device, (name, of) -> of + "://?memory=" + memory);
      }
    }
    return TwinControls.open(new DeviceUri(twin.driver(), twin.selector(), options).toString());
  }

  @Override
  public Optional<Device> openOther() {
    return Optional.of(Hal.openDevice("mock"));
  }

  @Override
  public Optional<String> memoryLimit(long bytes) {
    return Optional.of(MEMORY + "=" + bytes);
  }

  @Override
  public List<Unsupported> unsupported() {
    return List.of(
        new Unsupported(
            "LargeBufferTest.everyOffsetCanBeMappedButNotMoreThanMaxIntBytes",
            "on a twin, a buffer that the host may access has at most 2 GiB"),
        new Unsupported(
            "TransferCountTest.theStatesOfTheProcessIncludeTheDevice",
            "the two devices of a twin are devices of the process, too, with the same transfers"));
  }

  @Override
  public Optional<Controls> controls(Device device) {
    return TwinControls.of(device);
  }
}
