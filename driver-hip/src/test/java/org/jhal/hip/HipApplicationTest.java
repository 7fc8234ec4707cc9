// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.simulator.tests.GpuApplicationTest;

/** An application with this driver. */
class HipApplicationTest extends GpuApplicationTest {
  HipApplicationTest() {
    super(HipOnSimulator.GPU, "org.jhal.hip");
  }
}
