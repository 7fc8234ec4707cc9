// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda.sim;

import java.util.Set;
import org.junit.jupiter.api.BeforeEach;

/** The fixture of tests of graphs: a stream, memory and a kernel that writes a value. */
abstract class OnSimulatedGraphs extends OnSimulatedCuda {
  static final int INVALID_VALUE = 1;

  CudaGraphCalls graphs;
  long stream;
  long memory;
  long fill;

  @BeforeEach
  void prepare() {
    graphs = new CudaGraphCalls(cuda, context);
    stream = cuda.stream();
    memory = cuda.make("cuMemAlloc_v2", 4096L);
    fill = cuda.function(kernels.image(), "fill");
  }

  static int[] read(long address, int count) {
    int[] values = new int[count];
    cuda.ok("cuMemcpyDtoH_v2", values, address, 4L * count);
    return values;
  }

  static int read(long address) {
    return read(address, 1)[0];
  }

  static String misuses() {
    return String.join("\n", simulator.misuses());
  }

  static Set<String> live() {
    return simulator.live().keySet();
  }
}
