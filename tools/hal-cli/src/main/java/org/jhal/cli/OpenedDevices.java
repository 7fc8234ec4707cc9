// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jhal.Device;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.examples.UsableDevices;

/** The devices of a command that uses several. Closes them in the reverse order. */
final class OpenedDevices implements AutoCloseable {
  /** In place of a URI: every device of every driver that can load the kernels. */
  static final String ALL = "all";

  private final List<Device> devices = new ArrayList<>();

  private OpenedDevices() {}

  /**
   * Opens the devices.
   *
   * @param uris of devices, or {@link #ALL}
   * @param err gets the reason why a device is not among all
   */
  static OpenedDevices open(List<String> uris, ExecutableSource kernels, PrintWriter err)
      throws InterruptedException {
    OpenedDevices opened = new OpenedDevices();
    boolean isComplete = false;
    try {
      for (String uri : uris) {
        if (uri.equals(ALL)) {
          opened.openAll(kernels, err);
        } else {
          opened.devices.add(CommandFailure.openDevice(uri));
        }
      }
      isComplete = true;
      return opened;
    } finally {
      if (!isComplete) {
        opened.close();
      }
    }
  }

  private void openAll(ExecutableSource kernels, PrintWriter err) throws InterruptedException {
    try {
      UsableDevices.open(devices, kernels, err);
    } catch (HalException e) {
      throw CommandFailure.ofUri(e);
    }
  }

  List<Device> devices() {
    return devices;
  }

  @Override
  public void close() {
    Collections.reverse(devices);
    devices.forEach(Device::close);
  }
}
