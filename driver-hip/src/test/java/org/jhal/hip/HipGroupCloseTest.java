// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.simulator.group.GpuGroupCloseTest;

/** Devices that close while a part of RCCL hangs. */
class HipGroupCloseTest extends GpuGroupCloseTest {
  HipGroupCloseTest() {
    super(HipOnSimulator.GPU);
  }
}
