package org.jhal.hip;

import org.jhal.simulator.driver.GpuTransferTest;

/** Transfers of pageable memory with HIP. */
class HipTransferTest extends GpuTransferTest {
  HipTransferTest() {
    super(
        HipOnSimulator.GPU,
        new Names("hipGetDevice", "hipMemcpyHtoDAsync", "hipMemcpyDtoHAsync", "hipHostRegister"));
  }
}
