// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.tests.GpuApplicationTest;

/** An application with this driver. */
class CudaApplicationTest extends GpuApplicationTest {
  CudaApplicationTest() {
    super(CudaOnSimulator.GPU, "org.jhal.cuda");
  }
}
