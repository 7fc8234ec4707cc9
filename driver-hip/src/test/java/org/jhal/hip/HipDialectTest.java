// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.simulator.tests.GpuDialectTest;

/** Kernels as others write them. */
class HipDialectTest extends GpuDialectTest {
  HipDialectTest() {
    super(HipOnSimulator.GPU);
  }
}
