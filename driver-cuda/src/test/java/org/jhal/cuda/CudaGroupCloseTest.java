// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.group.GpuGroupCloseTest;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Devices that close while a part of NCCL hangs. */
@ParameterizedClass
@MethodSource("org.jhal.cuda.NcclVersions#newestAnd21300")
class CudaGroupCloseTest extends GpuGroupCloseTest {
  CudaGroupCloseTest(int version) {
    super(CudaOnSimulator.GPU, version);
  }
}
