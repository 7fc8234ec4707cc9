// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.simulator.tests.GpuOneNodeGraphTest;

/** Single commands as graphs of one node with HIP. */
class HipOneNodeGraphTest extends GpuOneNodeGraphTest {
  HipOneNodeGraphTest() {
    super(HipOnSimulator.GPU, HipGraphsTest.NAMES);
  }
}
