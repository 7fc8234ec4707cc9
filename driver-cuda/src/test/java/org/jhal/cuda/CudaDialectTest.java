// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.tests.GpuDialectTest;

/** Kernels as others write them. */
class CudaDialectTest extends GpuDialectTest {
  CudaDialectTest() {
    super(CudaOnSimulator.GPU);
  }
}
