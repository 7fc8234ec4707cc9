// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.tests.GpuUnloadTest;

/** With the driver for NVIDIA devices. */
class CudaUnloadTest extends GpuUnloadTest {
  CudaUnloadTest() {
    super(CudaOnSimulator.GPU);
  }
}
