// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.simulator.group.GpuGroupExitTest;

/** Processes that end while RCCL aborts collectives. */
class HipGroupExitTest extends GpuGroupExitTest {
  HipGroupExitTest() {
    super(HipOnSimulator.GPU);
  }
}
