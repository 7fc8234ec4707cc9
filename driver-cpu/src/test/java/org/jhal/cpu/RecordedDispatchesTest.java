// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Arrays;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.FillPattern;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Parameter;
import org.jhal.Sequence;
import org.jhal.Workgroups;
import org.jhal.cpu.compile.NeedsCompiler;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Dispatches of one command buffer, which the device's threads get in lists. */
@Timeout(120)
@NeedsCompiler
class RecordedDispatchesTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);

  /** More than two lists. */
  private static final int MANY = 2 * CpuGrids.MOST + 100;

  /** Kernels of one work item, which write numbers one behind the other; the first is how many. */
  private static final String CODE =
      """
      extern "C" __global__ void append(int value, int* log) { log[++log[0]] = value; }
      extern "C" __global__ void appends_and_traps(int value, int* log) {
        log[++log[0]] = value;
        __trap();
      }
      """;

  private static ExecutableSource source() {
    var builder = ExecutableSource.builder("recorded");
    for (String kernel : new String[] {"append", "appends_and_traps"}) {
      builder.kernel(
          kernel,
          1,
          Parameter.constant("value", ElementType.I32),
          Parameter.inout("log", ElementType.I32));
    }
    return builder.cpp(CODE).build();
  }

  private interface Recording {
    void record(CommandBuffer commands, Executable kernels, DeviceBuffer log);
  }

  private static void append(
      CommandBuffer commands, Executable kernels, String kernel, int value, DeviceBuffer log) {
    commands.dispatch(kernels.kernel(kernel), Workgroups.of(1), Args.of(value, log));
    commands.barrier();
  }

  /** Why a recording has failed, if it has, and what it has written. */
  private record Outcome(@Nullable HalException failure, int[] written) {
    void assertSuccess(int... expected) {
      assertNull(failure);
      assertArrayEquals(expected, written);
    }
  }

  private static Outcome run(Device device, Executable kernels, Recording recording)
      throws InterruptedException {
    int[] content = new int[MANY + 10];
    var queue = device.queue(0);
    try (DeviceBuffer log = device.allocate(4L * content.length, BufferParams.DEVICE);
        CommandBuffer commands = device.createCommandBuffer(CommandBuffer.Mode.REUSABLE)) {
      recording.record(commands, kernels, log);
      commands.end();
      HalException failure = null;
      try (Sequence steps = device.createSequence()) {
        steps.step(
            (waits, signals) -> queue.fill(waits, signals, log, 0, log.size(), FillPattern.of8(0)));
        steps.step((waits, signals) -> queue.execute(waits, signals, commands));
        steps.await(LIMIT);
      } catch (HalException e) {
        failure = e;
      }
      try (Sequence steps = device.createSequence()) {
        steps.step(
            (waits, signals) -> queue.readback(waits, signals, log, 0, HostMemory.of(content)));
        steps.await(LIMIT);
      }
      return new Outcome(failure, Arrays.copyOfRange(content, 1, 1 + content[0]));
    }
  }

  private static Outcome run(int threads, Recording recording) throws InterruptedException {
    try (Device device = Hal.openDevice("cpu://?cache=off&threads=" + threads);
        Executable kernels = device.loadExecutable(source())) {
      return run(device, kernels, recording);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void theyRunInOrder(int threads) throws Exception {
    Outcome outcome =
        run(
            threads,
            (commands, from, log) -> {
              for (int i = 0; i < MANY; i++) {
                append(commands, from, "append", i, log);
              }
            });
    int[] expected = new int[MANY];
    Arrays.setAll(expected, i -> i);
    outcome.assertSuccess(expected);
  }

  /** Other commands come between the dispatches before and behind them. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void otherCommandsKeepTheirPlace(int threads) throws Exception {
    Outcome outcome =
        run(
            threads,
            (commands, from, log) -> {
              append(commands, from, "append", 1, log);
              append(commands, from, "append", 2, log);
              commands.copy(log, 4, log, 8, 4); // the second number is the first again
              commands.barrier();
              append(commands, from, "append", 3, log);
              commands.fill(log, 4, 4, FillPattern.of32(7));
              commands.barrier();
              append(commands, from, "append", 4, log);
            });
    outcome.assertSuccess(7, 1, 3, 4);
  }

  /** The first failure is the operation's; what is behind it runs all the same. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void oneThatFailsStopsNoOther(int threads) throws Exception {
    try (Device device = Hal.openDevice("cpu://?cache=off&threads=" + threads);
        Executable kernels = device.loadExecutable(source())) {
      Outcome outcome =
          run(
              device,
              kernels,
              (commands, from, log) -> {
                append(commands, from, "append", 1, log);
                append(commands, from, "appends_and_traps", 2, log);
                append(commands, from, "append", 3, log);
                append(commands, from, "appends_and_traps", 4, log);
                append(commands, from, "append", 5, log);
              });
      String message = String.valueOf(outcome.failure());
      assertTrue(message.contains("kernel appends_and_traps"), message);
      assertArrayEquals(new int[] {1, 2, 3, 4, 5}, outcome.written());
      assertNull(device.lostCause());
      run(device, kernels, (commands, from, log) -> append(commands, from, "append", 6, log))
          .assertSuccess(6);
    }
  }
}
