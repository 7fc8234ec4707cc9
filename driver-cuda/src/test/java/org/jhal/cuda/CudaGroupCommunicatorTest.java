// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.group.GpuGroupCommunicatorTest;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Communicators of NCCL. */
@ParameterizedClass
@ValueSource(ints = {22803, 21800, 21300})
class CudaGroupCommunicatorTest extends GpuGroupCommunicatorTest {
  CudaGroupCommunicatorTest(int version) {
    super(CudaOnSimulator.GPU, version);
  }
}
