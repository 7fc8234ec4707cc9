// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.collective;

import static org.jhal.simulator.collective.CollectiveCalls.INT32;
import static org.jhal.simulator.collective.CollectiveCalls.SUM;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.Pointer;
import java.util.List;
import java.util.Objects;
import org.jhal.simulator.SimulatedCollectives;
import org.jhal.simulator.SimulatedLibrary;
import org.jhal.simulator.Simulator;
import org.jhal.simulator.collective.CollectiveCalls.Kind;
import org.jhal.simulator.fixture.CollectiveFace;
import org.jhal.simulator.fixture.NativeDeadline;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.jhal.simulator.fixture.SimulatedGpu;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/**
 * The fixture of tests of the simulated collectives: streams of some devices.
 *
 * <p>The memory of simulated devices is the host's, so it is read and written here directly.
 */
@Timeout(60)
abstract class OnCollectives {
  final SimulatedGpu gpu = SimulatedGpu.ofProcess();
  private final SimulatedLibrary library = gpu.collectives(SimulatedLibrary.NEWEST_COLLECTIVES);
  final CollectiveFace face = gpu.collectiveFace();
  private final NativeDeadline deadline = new NativeDeadline();
  final int devices = face.devices();
  final long[] streams = new long[devices];
  private @Nullable Natives natives;

  private record Natives(
      CollectiveCalls nccl, Simulator simulator, SimulatedCollectives collectives) {}

  final CollectiveCalls nccl() {
    return Objects.requireNonNull(natives).nccl();
  }

  final Simulator simulator() {
    return Objects.requireNonNull(natives).simulator();
  }

  final SimulatedCollectives collectives() {
    return Objects.requireNonNull(natives).collectives();
  }

  @BeforeEach
  final void start() {
    SimulatedDevices.assumeThere(gpu);
    assumeTrue(library.unavailable().isEmpty(), () -> library.unavailable().orElse(""));
    Simulator simulator = gpu.simulator();
    natives =
        new Natives(
            new CollectiveCalls(library.path()), simulator, SimulatedCollectives.of(simulator));
    deadline.begin(simulator);
    startAnew();
  }

  /** Ends everything of the test, and creates the devices and a stream of each again. */
  final void startAnew() {
    gpu.reset();
    simulator().devices(devices);
    for (int i = 0; i < devices; i++) {
      face.use(i);
      streams[i] = face.stream();
    }
    face.use(0);
  }

  @AfterEach
  final void end() {
    deadline.end();
    if (natives != null) {
      gpu.reset();
    }
  }

  final long memory(int device, byte[] content) {
    face.use(device);
    long address = face.memory(Math.max(content.length, 1));
    face.use(0);
    new Pointer(address).write(0, content, 0, content.length);
    return address;
  }

  final long ints(int device, int... values) {
    face.use(device);
    long address = face.memory(4L * values.length);
    face.use(0);
    new Pointer(address).write(0, values, 0, values.length);
    return address;
  }

  static int[] read(long address, int count) {
    return new Pointer(address).getIntArray(0, count);
  }

  final int synchronize(int device) {
    face.use(device);
    int code = face.synchronize(streams[device]);
    face.use(0);
    return code;
  }

  final void synchronizeAll(int count) {
    for (int i = 0; i < count; i++) {
      assertEquals(0, synchronize(i), "device " + i);
    }
  }

  final boolean isIdle(int device) {
    face.use(device);
    boolean isIdle = face.isIdle(streams[device]);
    face.use(0);
    return isIdle;
  }

  final void assertMisuse(String part) {
    List<String> misuses = collectives().misuses();
    assertEquals(1, misuses.size(), () -> String.join("\n", misuses));
    assertTrue(misuses.get(0).contains(part), misuses.get(0));
  }

  final void assertNoMisuse() {
    assertEquals(List.of(), collectives().misuses());
  }

  /** Of two ranks, with one int each, which is 1 on rank 0 and 2 on rank 1. */
  final class Pair {
    final long[] communicators = nccl().init(0, 1);
    final long[] from = {ints(0, 1), ints(1, 2)};
    final long[] to = {ints(0, -1), ints(1, -1)};

    int call(int rank) {
      return nccl()
          .call(
              Kind.ALL_REDUCE,
              from[rank],
              to[rank],
              1,
              INT32,
              SUM,
              0,
              communicators[rank],
              streams[rank]);
    }

    void add(int rank) {
      assertEquals(0, call(rank));
    }

    int sum() {
      return nccl().group(List.of(() -> add(0), () -> add(1)));
    }

    void check() {
      assertEquals(0, sum());
      synchronizeAll(2);
      assertArrayEquals(new int[] {3}, read(to[0], 1));
      assertArrayEquals(new int[] {3}, read(to[1], 1));
    }

    void abort() {
      nccl().each("ncclCommAbort", communicators);
    }

    void destroy() {
      nccl().each("ncclCommDestroy", communicators);
    }
  }
}
