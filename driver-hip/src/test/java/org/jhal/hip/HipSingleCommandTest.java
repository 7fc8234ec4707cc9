// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.simulator.tests.GpuSingleCommandTest;

/** Recordings of a few commands with HIP. */
class HipSingleCommandTest extends GpuSingleCommandTest {
  HipSingleCommandTest() {
    super(HipOnSimulator.GPU, HipGraphsTest.NAMES);
  }
}
