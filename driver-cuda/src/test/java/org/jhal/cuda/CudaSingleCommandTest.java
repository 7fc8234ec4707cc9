// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.tests.GpuSingleCommandTest;

/** Recordings of a few commands with CUDA. */
class CudaSingleCommandTest extends GpuSingleCommandTest {
  CudaSingleCommandTest() {
    super(CudaOnSimulator.GPU, CudaGraphsTest.NAMES);
  }
}
