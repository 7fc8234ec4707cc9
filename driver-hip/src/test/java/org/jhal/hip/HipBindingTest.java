// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.simulator.tests.GpuBindingTest;

/** The bindings of this driver. */
class HipBindingTest extends GpuBindingTest {
  HipBindingTest() {
    super(HipOnSimulator.GPU, "jna");
  }
}
