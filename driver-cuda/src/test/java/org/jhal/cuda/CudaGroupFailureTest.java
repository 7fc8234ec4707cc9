// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.group.GpuGroupFailureTest;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Collectives of NCCL that do not end, or fail. */
@ParameterizedClass
@ValueSource(ints = {22803, 21300})
class CudaGroupFailureTest extends GpuGroupFailureTest {
  CudaGroupFailureTest(int version) {
    super(CudaOnSimulator.GPU, version, new Names("cuEventRecord", "cuStreamCreate"));
  }
}
