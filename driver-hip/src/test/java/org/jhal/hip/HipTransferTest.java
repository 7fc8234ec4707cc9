// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.simulator.tests.GpuTransferTest;

/** Transfers of pageable memory with HIP. */
class HipTransferTest extends GpuTransferTest {
  static final Names NAMES =
      new Names(
          "hipGetDevice",
          "hipMemcpyHtoDAsync",
          "hipMemcpyDtoHAsync",
          "hipHostRegister",
          "hipStreamSynchronize",
          "hipEventRecord");

  HipTransferTest() {
    super(HipOnSimulator.GPU, NAMES);
  }
}
