// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.kernel;

import static org.jhal.ElementType.F32;
import static org.jhal.ElementType.I32;
import static org.jhal.ElementType.U8;
import static org.jhal.Parameter.inout;
import static org.jhal.Parameter.out;
import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.assertNullRefused;
import static org.jhal.cts.support.TestData.floats;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.List;
import org.jhal.Args;
import org.jhal.BufferUsage;
import org.jhal.BundleBuilder;
import org.jhal.Capability;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Global;
import org.jhal.Kernel;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.junit.jupiter.api.Test;

/** Variables of kernels that the host reads and writes. */
@CtsSuite
class KernelGlobalTest {
  private static final String SOURCE =
      """
      __constant__ float weights[4] = {1, 2, 3, 4};
      __device__ int counter = 7;
      __device__ unsigned char flags[3];

      extern "C" __global__ void weigh(float* data) {
        data[threadIdx.x] *= weights[threadIdx.x];
      }

      extern "C" __global__ void count(int* seen) {
        seen[0] = counter;
        counter = counter + 1;
        flags[counter % 3] = 1;
      }
      """;

  private static BundleBuilder bundle() {
    return ExecutableSource.builder("globals")
        .kernel("weigh", 4, inout("data", F32))
        .kernel("count", 1, out("seen", I32))
        .global("weights", F32, 4)
        .global("counter", I32, 1)
        .global("flags", U8, 3)
        .cpp(SOURCE);
  }

  private static Executable load(Cts cts) {
    return load(cts, cts.device());
  }

  private static Executable load(Cts cts, Device device) {
    cts.needsFormat("gpu-c++");
    return cts.closing(device.loadExecutable(bundle().build()));
  }

  /** Weighs a vector of ones. */
  private static byte[] weighed(Cts cts, Executable executable) {
    DeviceBuffer data = cts.buffer(executable.device(), floats(1, 1, 1, 1));
    run(cts, executable.kernel("weigh"), data);
    return cts.read(data);
  }

  private static void run(Cts cts, Kernel kernel, DeviceBuffer data) {
    Device device = data.device();
    TimelineSemaphore done = cts.semaphore(device, 0);
    device.queue(0).dispatch(Fence.NONE, done.at(1), kernel, Workgroups.of(1), Args.of(data));
    awaitReached(done, 1);
  }

  @Test
  @Rule("M8b")
  @Needs(capabilities = Capability.KERNEL_GLOBALS)
  void aVariableBeginsWithItsValueInTheSource(Cts cts) {
    Executable executable = load(cts);
    assertEquals(
        List.of(
            new Global("weights", F32, 4),
            new Global("counter", I32, 1),
            new Global("flags", U8, 3)),
        executable.globals());
    assertBytes(floats(1, 2, 3, 4), cts.read(executable.global("weights")), "weights");
    assertBytes(ints(7), cts.read(executable.global("counter")), "counter");
    assertBytes(new byte[3], cts.read(executable.global("flags")), "flags");
  }

  @Test
  @Rule("M8b")
  @Needs(capabilities = Capability.KERNEL_GLOBALS)
  void kernelsSeeWhatTheHostHasWritten(Cts cts) {
    Executable executable = load(cts);
    assertBytes(floats(1, 2, 3, 4), weighed(cts, executable), "with the values of the source");
    DeviceBuffer weights = executable.global("weights");
    cts.write(weights, 0, floats(5, 6, 7, 8));
    assertBytes(floats(5, 6, 7, 8), weighed(cts, executable), "with others");
    cts.write(weights.slice(4, 8), 4, floats(9));
    assertBytes(floats(5, 6, 9, 8), weighed(cts, executable), "with one other");
    assertBytes(floats(5, 6, 9, 8), cts.read(weights), "weights");
  }

  @Test
  @Rule("M8b")
  @Needs(capabilities = Capability.KERNEL_GLOBALS)
  void theHostSeesWhatKernelsHaveWritten(Cts cts) {
    Executable executable = load(cts);
    DeviceBuffer seen = cts.buffer(4);
    for (int i = 0; i < 3; i++) {
      run(cts, executable.kernel("count"), seen);
      assertBytes(ints(7 + i), cts.read(seen), "what the kernel saw");
      assertBytes(ints(8 + i), cts.read(executable.global("counter")), "counter");
    }
    assertBytes(new byte[] {1, 1, 1}, cts.read(executable.global("flags")), "flags");
  }

  /** Each transfer, between kernels that use the variable, without the host in between. */
  @Test
  @Rule({"M8b", "M2"})
  @Needs(capabilities = Capability.KERNEL_GLOBALS)
  void transfersAndKernelsTakeTheirTurns(Cts cts) {
    Executable executable = load(cts);
    Kernel count = executable.kernel("count");
    DeviceBuffer counter = executable.global("counter");
    DeviceBuffer seen = cts.buffer(ints(0, 0, 0, 0, 0));
    DeviceBuffer other = cts.buffer(ints(1, 40));
    TimelineSemaphore line = cts.semaphore();
    DeviceQueue queue = cts.queue();
    queue.fill(Fence.NONE, line.at(1), counter, 0, 4, FillPattern.of32(10));
    count(queue, line, 1, count, seen, 0);
    ByteBuffer twenty = ByteBuffer.wrap(ints(20));
    queue.update(line.at(2), line.at(3), twenty, counter, 0);
    count(queue, line, 3, count, seen, 1);
    ByteBuffer thirty = ByteBuffer.allocateDirect(4).put(0, ints(30));
    queue.upload(line.at(4), line.at(5), thirty, counter, 0);
    count(queue, line, 5, count, seen, 2);
    queue.copy(line.at(6), line.at(7), other, 4, counter, 0, 4);
    count(queue, line, 7, count, seen, 3);
    queue.copy(line.at(8), line.at(9), counter, 0, other, 0, 4);
    count(queue, line, 9, count, seen, 4);
    awaitReached(line, 10);
    assertBytes(ints(10, 20, 30, 40, 41), cts.read(seen), "what the kernel saw");
    assertBytes(ints(41, 40), cts.read(other), "the copy");
    assertBytes(ints(42), cts.read(counter), "counter");
  }

  private static void count(
      DeviceQueue queue,
      TimelineSemaphore line,
      long before,
      Kernel kernel,
      DeviceBuffer seen,
      int place) {
    Args args = Args.of(seen.slice(4L * place, 4));
    queue.dispatch(line.at(before), line.at(before + 1), kernel, Workgroups.of(1), args);
  }

  /** Several times: devices may keep what they prepare for a command buffer. */
  @Test
  @Rule({"M8b", "M4"})
  @Needs(capabilities = Capability.KERNEL_GLOBALS)
  void commandBuffersUseVariables(Cts cts) {
    Executable executable = load(cts);
    DeviceBuffer counter = executable.global("counter");
    DeviceBuffer seen = cts.buffer(4);
    DeviceBuffer result = cts.buffer(4);
    CommandBuffer commands =
        cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.REUSABLE));
    commands.dispatch(executable.kernel("count"), Workgroups.of(1), Args.of(seen));
    commands.barrier();
    commands.copy(counter, 0, result, 0, 4);
    commands.barrier();
    commands.fill(counter, 0, 1, FillPattern.of8(100));
    commands.end();
    TimelineSemaphore done = cts.semaphore();
    for (int time = 1; time <= 4; time++) {
      cts.queue().execute(Fence.NONE, done.at(time), commands);
      awaitReached(done, time);
      int first = time == 1 ? 7 : 100;
      assertBytes(ints(first), cts.read(seen), "what the kernel saw, time " + time);
      assertBytes(ints(first + 1), cts.read(result), "the copy, time " + time);
      assertBytes(ints(100), cts.read(counter), "counter, time " + time);
    }
  }

  @Test
  @Rule("M8b")
  @Needs(capabilities = Capability.KERNEL_GLOBALS)
  void eachExecutableHasItsOwnVariables(Cts cts) {
    Executable first = load(cts);
    Executable second = load(cts);
    cts.write(first.global("weights"), 0, floats(5, 6, 7, 8));
    assertBytes(floats(1, 2, 3, 4), weighed(cts, second), "by the second");
    assertBytes(floats(5, 6, 7, 8), weighed(cts, first), "by the first");
  }

  @Test
  @Rule("M8b")
  @Needs(value = Need.SECOND_DEVICE, capabilities = Capability.KERNEL_GLOBALS)
  void eachDeviceHasItsOwnVariables(Cts cts) {
    Executable first = load(cts);
    Executable second = load(cts, cts.second());
    cts.write(second.global("weights"), 0, floats(5, 6, 7, 8));
    assertBytes(floats(1, 2, 3, 4), weighed(cts, first), "by the first device");
    assertBytes(floats(5, 6, 7, 8), weighed(cts, second), "by the second device");
  }

  @Test
  @Rule({"M8b", "Q3"})
  @Needs(capabilities = Capability.KERNEL_GLOBALS)
  void aVariableLivesAsLongAsItsExecutable(Cts cts) {
    Executable executable = load(cts);
    DeviceBuffer weights = executable.global("weights");
    weights.close();
    assertBytes(floats(1, 2, 3, 4), cts.read(weights), "after a close of the buffer");
    TimelineSemaphore start = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    byte[] found = new byte[16];
    ByteBuffer target = ByteBuffer.wrap(found);
    cts.queue().readback(start.at(1), done.at(1), weights, 0, target);
    executable.close();
    assertHal(Status.FAILED_PRECONDITION, () -> cts.read(weights), "closed");
    assertHal(Status.FAILED_PRECONDITION, () -> executable.global("counter"), "closed");
    start.signal(1);
    awaitReached(done, 1);
    assertBytes(floats(1, 2, 3, 4), found, "what was enqueued before the close");
  }

  @Test
  @Rule({"M8b", "M5"})
  @Needs(capabilities = Capability.KERNEL_GLOBALS)
  void variablesAreForTransfers(Cts cts) {
    Executable executable = load(cts);
    DeviceBuffer weights = executable.global("weights");
    assertEquals(16, weights.size());
    assertEquals(cts.device(), weights.device());
    for (BufferUsage usage : BufferUsage.values()) {
      boolean isTransfer =
          usage == BufferUsage.TRANSFER_SOURCE || usage == BufferUsage.TRANSFER_TARGET;
      assertEquals(isTransfer, weights.params().usage().contains(usage), usage.name());
    }
    TimelineSemaphore done = cts.semaphore();
    assertHal(
        Status.PERMISSION_DENIED,
        () ->
            cts.queue()
                .dispatch(
                    Fence.NONE,
                    done.at(1),
                    executable.kernel("weigh"),
                    Workgroups.of(1),
                    Args.of(weights)),
        "weights");
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> cts.queue().dealloca(Fence.NONE, done.at(1), weights),
        "cannot be deallocated");
    assertHal(Status.OUT_OF_RANGE, () -> weights.slice(8, 12), "16");
  }

  @Test
  @Rule({"M8b", "M5"})
  @Needs(capabilities = Capability.KERNEL_GLOBALS)
  void unknownAndWrongVariablesAreRejected(Cts cts) {
    Executable executable = load(cts);
    assertHal(
        Status.NOT_FOUND,
        () -> executable.global("weight"),
        "'weight'",
        "[weights, counter, flags]");
    assertNullRefused("name", () -> executable.global(nothing()));
    Device device = cts.device();
    ExecutableSource missing = bundle().global("nowhere", I32, 1).build();
    assertHal(Status.NOT_FOUND, () -> device.loadExecutable(missing), "'nowhere'");
    ExecutableSource other =
        ExecutableSource.builder("sizes")
            .kernel("weigh", 4, inout("data", F32))
            .global("weights", F32, 5)
            .cpp(SOURCE)
            .build();
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> device.loadExecutable(other),
        "'weights'",
        "has 16 bytes",
        "f32 weights[5]",
        "20");
  }

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T nothing() {
    return null;
  }

  /** On each device, whatever it loads. */
  @Test
  @Rule({"M8b", "M5"})
  void wrongDeclarationsAreRejected(Cts cts) {
    assertHal(Status.INVALID_ARGUMENT, () -> bundle().global("flags", I32, 1), "twice");
    assertHal(Status.INVALID_ARGUMENT, () -> bundle().global("a b", I32, 1), "'a b'");
    assertHal(Status.OUT_OF_RANGE, () -> bundle().global("more", I32, 0), "0 elements");
    assertNullRefused("type", () -> bundle().global("more", nothing(), 1));
  }

  /** Kernels in Java run on devices that offer variables of others, too. */
  @Test
  @Rule("M8b")
  void kernelsInJavaAndDevicesWithoutTheCapabilityHaveNone(Cts cts) {
    boolean hasThem = cts.device().capabilities().contains(Capability.KERNEL_GLOBALS);
    boolean isJava = cts.device().executableFormats().contains("java");
    if (hasThem && !isJava) {
      return; // all kernels of the device have them
    }
    cts.needsFormat("java", "gpu-c++");
    BundleBuilder bundle =
        ExecutableSource.builder("without")
            .kernel("weigh", 4, inout("data", F32))
            .global("weights", F32, 4);
    bundle = isJava ? bundle.java("weigh", group -> {}) : bundle.cpp(SOURCE);
    Executable executable = cts.closing(cts.device().loadExecutable(bundle.build()));
    assertEquals(1, executable.globals().size());
    assertHal(Status.UNIMPLEMENTED, () -> executable.global("weights"), "variables");
  }
}
