// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.faults;

import static org.jhal.ElementType.I32;
import static org.jhal.Parameter.in;
import static org.jhal.Parameter.inout;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.BundleBuilder;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.Sequence;
import org.jhal.Workgroups;
import org.jspecify.annotations.Nullable;

/** A device with kernels that take {@code (const int* in, int* out)}. */
final class FaultRun implements AutoCloseable {
  /** Work items of a workgroup. */
  static final int ITEMS = 64;

  private static final Duration LIMIT = Duration.ofMinutes(2);

  private final Device device;
  private final Executable kernels;

  /**
   * Opens a device.
   *
   * @param options of the device, such as {@code barriers=fiber}
   * @param file the source, beside this class
   */
  FaultRun(String options, String file, List<String> names) {
    device = Hal.openDevice("cpu://?cache=off&" + options);
    BundleBuilder bundle = ExecutableSource.builder("faults");
    for (String name : names) {
      bundle.kernel(name, ITEMS, in("in", I32), inout("out", I32));
    }
    try {
      kernels = device.loadExecutable(bundle.cpp(read(file)).build());
    } catch (HalException e) {
      device.close();
      throw e;
    }
  }

  private static String read(String file) {
    try (InputStream in = FaultRun.class.getResourceAsStream(file)) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Device device() {
    return device;
  }

  Kernel kernel(String name) {
    return kernels.kernel(name);
  }

  /** Why a dispatch has failed, and what is then in its buffers. */
  record Outcome(@Nullable HalException failure, int[] input, int[] output) {}

  /** Runs a kernel over a one, and an output of zeros. */
  Outcome run(String name, int groups) throws InterruptedException {
    return run(name, groups, 0);
  }

  Outcome run(String name, int groups, int index) throws InterruptedException {
    int[] input = {1};
    int[] output = new int[groups * ITEMS];
    HalException failure = null;
    var queue = device.queue(index);
    try (DeviceBuffer from = device.allocate(4, BufferParams.DEVICE);
        DeviceBuffer to = device.allocate(4L * output.length, BufferParams.DEVICE)) {
      try (Sequence steps = device.createSequence()) {
        steps.step((waits, signals) -> queue.upload(waits, signals, HostMemory.of(input), from, 0));
        steps.step((waits, signals) -> queue.upload(waits, signals, HostMemory.of(output), to, 0));
        Args args = Args.of(from, to);
        steps.step(
            (waits, signals) ->
                queue.dispatch(waits, signals, kernels.kernel(name), Workgroups.of(groups), args));
        steps.await(LIMIT);
      } catch (HalException e) {
        failure = e;
      }
      try (Sequence steps = device.createSequence()) {
        steps.step(
            (waits, signals) -> queue.readback(waits, signals, from, 0, HostMemory.of(input)));
        steps.step(
            (waits, signals) -> queue.readback(waits, signals, to, 0, HostMemory.of(output)));
        steps.await(LIMIT);
      }
    }
    return new Outcome(failure, input, output);
  }

  @Override
  public void close() {
    kernels.close();
    device.close();
  }
}
