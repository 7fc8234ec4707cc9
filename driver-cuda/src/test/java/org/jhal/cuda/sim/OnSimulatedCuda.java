// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import org.jhal.simulator.SimulatedLibrary;
import org.jhal.simulator.Simulator;
import org.jhal.simulator.fixture.NativeDeadline;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** The fixture of tests of the simulated driver library: one device, its context, some kernels. */
abstract class OnSimulatedCuda {
  private static final String SOURCE =
      """
      extern "C" __global__ void saxpy(unsigned n, float a, const float* x, float* y) {
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) y[i] = fmaf(a, x[i], y[i]);
      }
      extern "C" __global__ void fill(int* out, int value) {
        out[blockIdx.x * blockDim.x + threadIdx.x] = value;
      }
      extern "C" __global__ void wild(int* out) {
        *out = 1;
      }
      extern "C" __global__ void fail() {
        __trap();
      }
      """;

  static CudaCalls cuda;
  static Simulator simulator;
  static NvrtcCalls.Result kernels;

  private final NativeDeadline deadline = new NativeDeadline();
  long context;

  @BeforeAll
  static void build() {
    for (SimulatedLibrary library : List.of(SimulatedCuda.library(), SimulatedCuda.compiler())) {
      assumeTrue(library.unavailable().isEmpty(), () -> library.unavailable().get());
    }
    cuda = new CudaCalls();
    simulator = Simulator.in(SimulatedCuda.library().path());
    kernels = new NvrtcCalls().compile(SOURCE, "test.cpp", "--gpu-architecture=sm_90");
    assertEquals(0, kernels.code(), kernels.log());
  }

  @BeforeEach
  void start() {
    simulator.reset();
    deadline.begin(simulator);
    context = cuda.start();
  }

  @AfterEach
  void end() {
    deadline.end();
    simulator.reset();
  }
}
