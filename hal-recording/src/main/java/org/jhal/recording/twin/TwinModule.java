// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.twin;

import org.jhal.driver.KernelModule;

/** A bundle that both devices have loaded. */
final class TwinModule implements KernelModule {
  private final TwinDevice device;
  final int number; // on both sides

  TwinModule(TwinDevice device, int number) {
    this.device = device;
    this.number = number;
  }

  @Override
  public void unload() {
    device.unload(number);
  }
}
