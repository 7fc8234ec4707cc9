// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Parameter;
import org.jhal.Sequence;
import org.jhal.Status;
import org.jhal.StructType;
import org.jhal.Workgroups;
import org.jhal.kernel.Ints;
import org.jhal.kernel.JavaKernel;
import org.jhal.kernel.KernelMemory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which memory a kernel in Java may access, and the messages if it accesses any other. */
@Timeout(60)
class JavaKernelAccessTest {
  private static final StructType EDGES =
      StructType.builder().add("edges", ElementType.F32, 2).build();

  private static final Duration LIMIT = Duration.ofSeconds(20);

  private final List<Ints> kept = new ArrayList<>(); // by the queue's thread, read when it is idle
  private final List<KernelMemory> keptShared = new ArrayList<>();

  private final ExecutableSource source =
      ExecutableSource.builder("keeping")
          .kernel("keep", Workgroups.of(1), 8, Parameter.inout("x", ElementType.I32))
          .kernel("wait", Workgroups.of(1), 8, Parameter.inout("x", ElementType.I32))
          .java(
              "keep",
              group -> {
                Ints x = group.memory(0).ints();
                x.set(0, 1);
                kept.add(x);
                keptShared.add(group.shared());
              })
          .java(
              "wait",
              group -> {
                group.shared().putInt(0, 5);
                for (Ints earlier : kept) { // while this kernel uses the same memory
                  assertThrows(IllegalStateException.class, () -> earlier.set(0, 9));
                  assertThrows(IllegalStateException.class, () -> earlier.get(0));
                }
                for (KernelMemory earlier : keptShared) {
                  assertThrows(IllegalStateException.class, () -> earlier.putInt(0, 9));
                }
                group.memory(0).putInt(0, group.shared().getInt(0));
              })
          .build();

  @Test
  void aKeptViewCannotAccessTheMemoryOfALaterKernel() throws InterruptedException {
    try (Device device = Hal.openDevice("mock");
        Executable kernels = device.loadExecutable(source);
        Sequence steps = device.createSequence();
        DeviceBuffer one = device.allocate(4, BufferParams.DEVICE);
        DeviceBuffer two = device.allocate(4, BufferParams.DEVICE)) {
      DeviceQueue queue = device.queue(0);
      int[] read = new int[1];
      for (int i = 0; i < 3; i++) {
        steps.step(
            (w, s) -> queue.dispatch(w, s, kernels.kernel("keep"), Workgroups.of(1), Args.of(one)));
      }
      steps.await(LIMIT);
      for (int i = 0; i < 3; i++) {
        steps.step(
            (w, s) -> queue.dispatch(w, s, kernels.kernel("wait"), Workgroups.of(1), Args.of(two)));
      }
      steps.step((w, s) -> queue.readback(w, s, two, 0, HostMemory.of(read)));
      steps.await(LIMIT);
      assertArrayEquals(new int[] {5}, read);
      assertEquals(3, kept.size());
      assertEquals(
          "memory of a kernel is used after the kernel has returned",
          assertThrows(IllegalStateException.class, () -> kept.get(0).get(0)).getMessage());
    }
  }

  private static void says(Class<? extends Exception> type, String message, JavaKernel body)
      throws InterruptedException {
    ExecutableSource source =
        ExecutableSource.builder("wrong")
            .kernel(
                "wrong",
                Workgroups.of(1),
                8,
                Parameter.inout("x", ElementType.F32),
                Parameter.constant("n", ElementType.I64),
                Parameter.constant("a", ElementType.F64),
                Parameter.struct("s", EDGES))
            .java("wrong", body)
            .build();
    try (Device device = Hal.openDevice("mock");
        Executable kernels = device.loadExecutable(source);
        Sequence steps = device.createSequence();
        DeviceBuffer x = device.allocate(40, BufferParams.DEVICE)) {
      Args args = Args.of(x, 7, 2.5, EDGES.value(1f, 2f));
      steps.step(
          (w, s) ->
              device.queue(0).dispatch(w, s, kernels.kernel("wrong"), Workgroups.of(1), args));
      HalException failure = assertThrows(HalException.class, () -> steps.await(LIMIT));
      assertEquals(Status.ABORTED, failure.status());
      Throwable cause = failure.getCause();
      assertEquals(type, cause == null ? null : cause.getClass(), failure::toString);
      assertEquals(message, cause == null ? null : cause.getMessage());
    }
  }

  @Test
  void theMessageOfAWrongAccessNamesTheParameter() throws InterruptedException {
    Class<? extends Exception> outside = IndexOutOfBoundsException.class;
    says(
        outside,
        "access to x at element 10 of 10, which is byte 40 of 40, for 4 bytes",
        group -> group.memory(0).floats().set(10, 1));
    says(
        outside,
        "access to x at element -1 of 10, which is byte -4 of 40, for 4 bytes",
        group -> group.memory(0).floats().get(-1));
    says(outside, "access to x at byte 37 of 40, for 4 bytes", group -> group.memory(0).getInt(37));
    says(outside, "access to x at byte 40 of 40", group -> group.memory(0).bytes().get(40));
    says(
        outside,
        "access to shared memory at element 1 of 1, which is byte 8 of 8, for 8 bytes",
        group -> group.shared().longs().get(1));
    says(outside, "there is no parameter 4; the kernel has 4", group -> group.memory(4));
    says(outside, "parameter 1, 'n', is a constant of i64, not a buffer", group -> group.memory(1));
    says(outside, "parameter 0, 'x', is a buffer of f32, not a constant", group -> group.f32(0));
    says(outside, "parameter 2, 'a', is a constant of f64, not a struct", group -> group.struct(2));
    says(outside, "Index 2 out of bounds for length 2", group -> group.struct(3).f32(2));
    Class<? extends Exception> illegal = IllegalArgumentException.class;
    says(
        illegal,
        "'edges[1]' of struct { f32 edges[2]; } is f32, not an integer",
        group -> group.struct(3).i64(1));
    says(
        illegal,
        "parameter 1, 'n', is a constant of i64, not an integer of at most 32 bits",
        group -> group.i32(1));
    says(illegal, "parameter 2, 'a', is a constant of f64, not an integer", group -> group.i64(2));
    says(
        illegal,
        "parameter 2, 'a', is a constant of f64, not an f32, f16 or bf16",
        group -> group.f32(2));
    says(
        illegal,
        "parameter 1, 'n', is a constant of i64, not a floating-point number",
        group -> group.f64(1));
    says(
        illegal,
        "atomic access to x at byte 2, which is not aligned to 4 bytes",
        group -> group.memory(0).getAndAddInt(2, 1));
  }
}
