// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.forms;

import static org.jhal.ElementType.I32;
import static org.jhal.Parameter.in;
import static org.jhal.Parameter.inout;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.BundleBuilder;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Hal;
import org.jhal.HostMemory;
import org.jhal.Sequence;
import org.jhal.Workgroups;

/** Runs kernels with the parameters {@code (const int* in, int* out)} in one form. */
final class FormRun implements AutoCloseable {
  /** Work items of a workgroup. */
  static final int ITEMS = 64;

  private static final int GROUPS = 8;

  /** Dynamic shared memory of a workgroup, in bytes. */
  private static final int SHARED = 1024;

  /**
   * What is right with {@code -O1} may be undefined, and wrong with more; see the profile {@code
   * long}.
   */
  static final String OPTIMIZATION = Boolean.getBoolean("jhal.test.long") ? "-O3" : "-O1";

  /** What users have. */
  static final String MOST = "-O3";

  /** How many numbers a kernel reads, and writes. */
  static final int COUNT = GROUPS * ITEMS;

  private static final Duration LIMIT = Duration.ofMinutes(2);

  private final int groups;
  private final Device device;
  private final Executable kernels;

  /**
   * Compiles kernels.
   *
   * @param form as the option {@code barriers} has it
   */
  FormRun(String form, String source, List<String> names) {
    this(form, source, names.stream().collect(Collectors.toMap(name -> name, name -> name)));
  }

  /** Compiles kernels whose entry points are given by their names. */
  FormRun(String form, String source, Map<String, String> entries) {
    this(form, source, entries, ITEMS);
  }

  /** Compiles kernels for workgroups of another size. */
  FormRun(String form, String source, Map<String, String> entries, int items) {
    this(form, source, entries, items, OPTIMIZATION);
  }

  /** Compiles kernels with an option for what the compiler optimizes. */
  FormRun(String form, String source, Map<String, String> entries, int items, String optimization) {
    this(form, source, entries, Workgroups.of(items), optimization);
  }

  /** Compiles kernels for workgroups of several rows. */
  FormRun(
      String form,
      String source,
      Map<String, String> entries,
      Workgroups size,
      String optimization) {
    groups = COUNT / (size.x() * size.y() * size.z());
    device = Hal.openDevice("cpu://?cache=off&threads=2&barriers=" + form);
    BundleBuilder bundle = ExecutableSource.builder("forms");
    for (String name : entries.keySet()) {
      bundle.kernel(name, size, SHARED, in("in", I32), inout("out", I32));
    }
    bundle.cpp(source, optimization);
    entries.forEach(bundle::entry);
    kernels = device.loadExecutable(bundle.build());
  }

  /** What a kernel writes, over -7 everywhere. */
  int[] run(String name, int[] input) throws InterruptedException {
    int[] output = new int[COUNT];
    java.util.Arrays.fill(output, -7);
    try (DeviceBuffer from = device.allocate(4L * COUNT, BufferParams.DEVICE);
        DeviceBuffer to = device.allocate(4L * COUNT, BufferParams.DEVICE);
        Sequence steps = device.createSequence()) {
      var queue = device.queue(0);
      Args args = Args.of(from, to);
      steps.step((waits, signals) -> queue.upload(waits, signals, HostMemory.of(input), from, 0));
      steps.step((waits, signals) -> queue.upload(waits, signals, HostMemory.of(output), to, 0));
      steps.step(
          (waits, signals) ->
              queue.dispatch(waits, signals, kernels.kernel(name), Workgroups.of(groups), args));
      steps.step((waits, signals) -> queue.readback(waits, signals, to, 0, HostMemory.of(output)));
      steps.await(LIMIT);
    }
    return output;
  }

  /** What the device says about a kernel. */
  String note(String name) {
    return kernels.kernel(name).note();
  }

  @Override
  public void close() {
    kernels.close();
    device.close();
  }
}
