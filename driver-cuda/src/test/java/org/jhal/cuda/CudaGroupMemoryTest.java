// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.group.GpuGroupMemoryTest;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Memory that collectives of NCCL use when they fail. */
@ParameterizedClass
@MethodSource("org.jhal.cuda.NcclVersions#newestAnd21800")
class CudaGroupMemoryTest extends GpuGroupMemoryTest {
  CudaGroupMemoryTest(int version) {
    super(CudaOnSimulator.GPU, version, new Names("cuEventRecord", "cuStreamWaitEvent"));
  }
}
