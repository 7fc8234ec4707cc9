// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.tests.GpuBindingTest;

/** The bindings of this driver. */
class CudaBindingTest extends GpuBindingTest {
  CudaBindingTest() {
    super(CudaOnSimulator.GPU, "jcuda");
  }
}
