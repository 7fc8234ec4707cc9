// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Hal;
import org.jhal.Parameter;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cpu.compile.NeedsCompiler;
import org.jhal.kernel.KernelMemory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Queues share the threads of their device: grids of several queues make progress together. */
@Timeout(120)
@NeedsCompiler
class SharedPoolTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final VarHandle INT =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

  /** Workgroups of the long grid: it takes minutes unless it is told to stop. */
  private static final int LONG = 5_000_000;

  /** What a workgroup of the long grid computes before it counts itself. */
  private static final int STEPS = 100_000;

  private static final int STOP = 0; // elements of the shared memory
  private static final int COUNT = 1;
  private static final int SHORT_COUNT = 2;

  private static final String CODE =
      """
      extern "C" __global__ void long_grid(int* state) {
        if (*(volatile int*)state) return;
        volatile int x = 0;
        for (int i = 0; i < STEPS; i++) x = x + i;
        atomicAdd(&state[1], 1);
      }
      extern "C" __global__ void short_grid(int* state) { atomicAdd(&state[2], 1); }
      """
          .replace("STEPS", String.valueOf(STEPS));

  private static volatile int sink;

  private static ExecutableSource source(String format) {
    var builder =
        ExecutableSource.builder("shared-pool")
            .kernel("long_grid", 1, Parameter.inout("state", ElementType.I32))
            .kernel("short_grid", 1, Parameter.inout("state", ElementType.I32));
    return format.equals("java")
        ? builder
            .java(
                "long_grid",
                group -> {
                  KernelMemory state = group.memory(0);
                  if (state.getAndAddInt(4 * STOP, 0) == 0) {
                    for (int i = 0; i < STEPS; i++) {
                      sink = i;
                    }
                    state.getAndAddInt(4 * COUNT, 1);
                  }
                })
            .java(
                "short_grid",
                group -> {
                  group.memory(0).getAndAddInt(4 * SHORT_COUNT, 1);
                })
            .build()
        : builder.cpp(CODE).build();
  }

  @ParameterizedTest
  @CsvSource({"gpu-c++,1", "gpu-c++,2", "java,1", "java,2"})
  void gridsOfTwoQueuesProgressTogether(String format, int threads) throws Exception {
    try (Device device = Hal.openDevice("cpu://?queues=2&threads=" + threads);
        Executable kernels = device.loadExecutable(source(format));
        TimelineSemaphore longDone = device.createSemaphore();
        TimelineSemaphore shortDone = device.createSemaphore();
        DeviceBuffer state = device.allocate(64, BufferParams.SHARED)) {
      assertEquals(format, kernels.format());
      DeviceQueue other = device.queue(1);
      other.fill(Fence.NONE, shortDone.at(1), state, 0, 64, FillPattern.of8(0));
      shortDone.await(1, LIMIT);
      try (var mapping = state.map(DeviceBuffer.MapMode.READ_WRITE)) {
        ByteBuffer bytes = mapping.bytes();
        device
            .queue(0)
            .dispatch(
                Fence.NONE,
                longDone.at(1),
                kernels.kernel("long_grid"),
                Workgroups.of(LONG),
                Args.of(state));
        try {
          for (int round = 1; round <= 3; round++) {
            awaitMore(bytes, (int) INT.getVolatile(bytes, 4 * COUNT));
            other.dispatch(
                Fence.NONE,
                shortDone.at(1 + round),
                kernels.kernel("short_grid"),
                Workgroups.of(100),
                Args.of(state));
            shortDone.await(1 + round, LIMIT);
            assertEquals(100 * round, (int) INT.getVolatile(bytes, 4 * SHORT_COUNT));
          }
          assertTrue((int) INT.getVolatile(bytes, 4 * COUNT) < LONG, "the long grid has ended");
        } finally {
          INT.setVolatile(bytes, 4 * STOP, 1);
        }
        longDone.await(1, LIMIT);
      }
    }
  }

  private static void awaitMore(ByteBuffer bytes, int before) {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while ((int) INT.getVolatile(bytes, 4 * COUNT) == before) {
      assertTrue(
          System.nanoTime() - deadline < 0,
          () -> "the long grid has made no progress beyond " + before + " workgroups in " + LIMIT);
      Thread.onSpinWait();
    }
  }
}
