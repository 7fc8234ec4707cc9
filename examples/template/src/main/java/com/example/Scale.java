// SPDX-License-Identifier: Apache-2.0
package com.example;

import java.time.Duration;
import java.util.Arrays;
import org.jhal.Args;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Hal;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.QueueSteps;
import org.jhal.Sequence;
import org.jhal.kernel.Floats;

/** Multiplies numbers on a device. */
public final class Scale {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private Scale() {}

  /** The kernel, in C++ for the device "cpu" and GPUs, and in Java for the mock. */
  static ExecutableSource kernels() {
    return ExecutableSource.builder("scale")
        .kernel(
            "scale",
            64,
            Parameter.constant("n", ElementType.I32),
            Parameter.constant("factor", ElementType.F32),
            Parameter.inout("x", ElementType.F32))
        .cpp(
            """
            extern "C" __global__ void scale(int n, float factor, float* x) {
              int i = blockIdx.x * blockDim.x + threadIdx.x;
              if (i < n) {
                x[i] *= factor;
              }
            }
            """)
        .java(
            "scale",
            group -> {
              Floats x = group.memory(2).floats();
              for (long i = group.firstX(); i < group.endX(group.i32(0)); i++) {
                x.set(i, group.f32(1) * x.get(i));
              }
            })
        .build();
  }

  /** Multiplies each of the values, in place. */
  static void scale(Device device, float factor, float[] values) throws InterruptedException {
    try (Executable kernels = device.loadExecutable(kernels());
        Sequence sequence = device.createSequence()) {
      Kernel scale = kernels.kernel("scale");
      QueueSteps steps = sequence.on(device.queue(0));
      DeviceBuffer x = steps.uploading(HostMemory.of(values));
      steps.dispatch(scale, scale.covering(values.length), Args.of(values.length, factor, x));
      steps.readback(x, HostMemory.of(values));
      sequence.await(LIMIT); // the first run on a device compiles the kernel
    }
  }

  public static void main(String[] args) throws InterruptedException {
    float[] values = new float[1000];
    Arrays.fill(values, 2);
    try (Device device = args.length == 0 ? Hal.openDevice() : Hal.openDevice(args[0])) {
      scale(device, 3, values);
    }
    System.out.println(values[999]); // 6.0
  }
}
