// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.simulator.tests.GpuUnloadTest;
import org.junit.jupiter.api.Tag;

/** With the driver for AMD devices. */
@Tag("long")
class HipUnloadTest extends GpuUnloadTest {
  HipUnloadTest() {
    super(HipOnSimulator.GPU);
  }
}
