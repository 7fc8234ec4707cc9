// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.group;

import java.util.List;
import org.jhal.CollectiveGroup;
import org.jhal.CollectiveGroup.Form;
import org.jhal.CollectiveGroup.Kind;
import org.jhal.CollectiveGroup.Options;
import org.jhal.Device;
import org.jhal.ElementType;
import org.jhal.Hal;
import org.jhal.Reduction;

/** A process that prints the forms of groups; see {@link GpuLaunchBlockingTest}. */
public final class FormProbe {
  private FormProbe() {}

  /** Its argument is a driver with two devices. */
  public static void main(String[] args) {
    try (Device here = Hal.openDevice(args[0] + "://0");
        Device there = Hal.openDevice(args[0] + "://1")) {
      print("two devices", List.of(here, there));
      print("one device", List.of(there));
    }
  }

  private static void print(String what, List<Device> devices) {
    try (CollectiveGroup group = CollectiveGroup.of(devices, Options.DEFAULT)) {
      Form form = group.form(Kind.ALL_REDUCE, Reduction.SUM, ElementType.I32);
      System.out.println(what + ": " + form.name() + ", " + form.reason());
    }
  }
}
