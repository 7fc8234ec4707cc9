// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.twin;

import java.util.List;
import org.jhal.Global;
import org.jhal.driver.KernelModule;

/** A bundle that both devices have loaded. */
final class TwinModule implements KernelModule {
  private final TwinDevice device;
  final int number; // on both sides

  final List<Global> globals;

  TwinModule(TwinDevice device, int number, List<Global> globals) {
    this.device = device;
    this.number = number;
    this.globals = globals;
  }

  @Override
  public long residentWorkgroups(int index) {
    return device.residentWorkgroups(number, index);
  }

  @Override
  public void unload() {
    device.unload(number);
  }
}
