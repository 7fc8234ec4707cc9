// SPDX-License-Identifier: Apache-2.0
package com.example.modules;

import java.time.Duration;
import java.util.Arrays;
import org.jhal.*;

/**
 * Runs a kernel on the mock, fills a buffer of the device cpu, which calls native functions, and
 * makes a group of both.
 */
public class Main {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  public static void main(String[] args) throws Exception {
    System.out.println(Hal.class.getModule());
    float[] values = {1, 2, 3};
    ExecutableSource source =
        ExecutableSource.builder("doubling")
            .kernel("twice", 64, Parameter.inout("x", ElementType.F32))
            .java("twice", new Doubling())
            .build();
    try (Device device = Hal.openDevice("mock");
        Executable kernels = device.loadExecutable(source);
        Sequence sequence = device.createSequence()) {
      Kernel twice = kernels.kernel("twice");
      QueueSteps steps = sequence.on(device.queue(0));
      DeviceBuffer x = steps.uploading(HostMemory.of(values));
      steps.dispatch(twice, twice.covering(values.length), Args.of(x));
      steps.readback(x, HostMemory.of(values));
      sequence.await(LIMIT);
    }
    System.out.println("mock: " + Arrays.toString(values));
    int[] filled = new int[3];
    try (Device device = Hal.openDevice("cpu");
        Sequence sequence = device.createSequence()) {
      QueueSteps steps = sequence.on(device.queue(0));
      DeviceBuffer x = steps.allocate(ElementType.I32, filled.length);
      steps.fill(x, FillPattern.of(7));
      steps.readback(x, HostMemory.of(filled));
      sequence.await(LIMIT);
    }
    System.out.println("cpu: " + Arrays.toString(filled));
    try (Device mock = Hal.openDevice("mock");
        Device cpu = Hal.openDevice("cpu");
        CollectiveGroup group = CollectiveGroup.of(mock, cpu)) {
      System.out.println(group);
    }
  }
}
