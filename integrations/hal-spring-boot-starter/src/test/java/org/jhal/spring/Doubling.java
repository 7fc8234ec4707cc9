// SPDX-License-Identifier: Apache-2.0
package org.jhal.spring;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jhal.Args;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.kernel.Floats;
import org.springframework.beans.factory.DisposableBean;

/**
 * A bean such as an application has: it keeps a kernel, and computes with it until it is closed.
 */
class Doubling implements DisposableBean {
  private final Device device;
  private final Executable kernels;

  /** What {@link #destroy} has computed; null before. */
  static volatile float[] computedAtTheEnd = {};

  Doubling(Device device) {
    this.device = device;
    kernels =
        device.loadExecutable(
            ExecutableSource.builder("doubling")
                .kernel("twice", 64, Parameter.inout("x", ElementType.F32))
                .java(
                    "twice",
                    group -> {
                      Floats x = group.memory(0).floats();
                      for (long i = group.firstX(); i < group.endX(x.length()); i++) {
                        x.set(i, 2 * x.get(i));
                      }
                    })
                .build());
  }

  float[] twice(float... values) throws Exception {
    float[] result = values.clone();
    return device
        .queue(0)
        .compute(
            Duration.ofSeconds(30),
            steps -> {
              Kernel twice = kernels.kernel("twice");
              DeviceBuffer x = steps.uploading(HostMemory.of(result));
              steps.dispatch(twice, twice.covering(result.length), Args.of(x));
              steps.readback(x, HostMemory.of(result));
              return result;
            })
        .get(60, TimeUnit.SECONDS);
  }

  @Override
  public void destroy() throws Exception {
    computedAtTheEnd = twice(21);
    kernels.close();
  }
}
