// SPDX-License-Identifier: Apache-2.0
package com.example.shaded;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jhal.*;
import org.jhal.kernel.Floats;

/** Lists the drivers in the jar, and computes on those devices that any machine has. */
public class Main {
  public static void main(String[] args) throws Exception {
    List<DriverRegistry.Entry> drivers = DriverRegistry.load().entries();
    System.out.println(drivers.stream().map(DriverRegistry.Entry::name).sorted().toList());
    System.out.println(
        drivers.stream().map(DriverRegistry.Entry::problem).filter(Objects::nonNull).toList());
    ExecutableSource source =
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
            .build();
    for (String name : List.of("mock", "cpu")) {
      try (Device device = Hal.openDevice(name);
          CollectiveGroup group = CollectiveGroup.of(device);
          Executable kernels = device.loadExecutable(source)) {
        Kernel twice = kernels.kernel("twice");
        float[] values = {1, 2, 3};
        float[] result =
            device
                .queue(0)
                .compute(
                    Duration.ofSeconds(60),
                    steps -> {
                      DeviceBuffer x = steps.uploading(HostMemory.of(values));
                      steps.dispatch(twice, twice.covering(values.length), Args.of(x));
                      steps.readback(x, HostMemory.of(values));
                      return values;
                    })
                .get(90, TimeUnit.SECONDS);
        System.out.println(name + ": " + Arrays.toString(result) + ", a " + group);
      }
    }
  }
}
