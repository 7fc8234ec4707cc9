// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.group.GpuGroupFailureTest;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Collectives of NCCL that do not end, or fail. */
@ParameterizedClass
@MethodSource("org.jhal.cuda.NcclVersions#newestAnd21300")
class CudaGroupFailureTest extends GpuGroupFailureTest {
  CudaGroupFailureTest(int version) {
    super(CudaOnSimulator.GPU, version, new Names("cuEventRecord", "cuStreamCreate"));
  }
}
