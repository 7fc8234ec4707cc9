// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.collective;

import static org.jhal.simulator.collective.CollectiveCalls.INT32;
import static org.jhal.simulator.collective.CollectiveCalls.INVALID_ARGUMENT;
import static org.jhal.simulator.collective.CollectiveCalls.INVALID_USAGE;
import static org.jhal.simulator.collective.CollectiveCalls.SUM;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.Waits;
import org.jhal.simulator.collective.CollectiveCalls.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Misuses of simulated collectives, and calls that block the launch of a group. */
class GpuCollectiveMisuseTest extends OnCollectives {
  // Misuse.

  @Test
  void oneThreadMayCallForSeveralRanksOnlyInAGroup() {
    Pair pair = new Pair();
    assertEquals(0, pair.call(0));
    assertEquals(INVALID_USAGE, pair.call(1));
    assertMisuse("one thread calls for several ranks outside of a group");
    pair.abort();
  }

  @Test
  void threadsMayCallForOneRankEach() throws Exception {
    Pair pair = new Pair();
    assertEquals(0, pair.call(0));
    assertEquals(0, Task.start("rank 1", () -> pair.call(1)).join());
    synchronizeAll(2);
    assertArrayEquals(new int[] {3}, read(pair.to[0], 1));
    assertNoMisuse();
  }

  @Test
  void refusesADeviceAsTwoRanks() {
    assertEquals(INVALID_USAGE, nccl().code("ncclCommInitAll", new long[2], 2, new int[] {1, 1}));
    assertEquals(
        INVALID_ARGUMENT, nccl().code("ncclCommInitAll", new long[1], 1, new int[] {devices}));
    assertEquals(0, collectives().live());
  }

  @ParameterizedTest
  @ValueSource(strings = {"ncclCommAbort", "ncclCommDestroy"})
  void reportsUseOfADestroyedCommunicator(String end) {
    Pair pair = new Pair();
    nccl().each(end, pair.communicators);
    assertEquals(INVALID_ARGUMENT, pair.call(0));
    assertMisuse("the communicator");
    assertEquals(INVALID_ARGUMENT, nccl().code(end, pair.communicators[1]));
    assertEquals(INVALID_ARGUMENT, nccl().code("ncclCommCount", pair.communicators[1], new int[1]));
    assertEquals(3, collectives().misuses().size());
  }

  @Test
  void reportsUseOfACommunicatorByTwoThreads() throws Exception {
    Pair pair = new Pair();
    nccl().ok("ncclGroupStart");
    assertEquals(0, pair.call(0));
    assertEquals(INVALID_USAGE, Task.start("other", () -> pair.call(0)).join());
    assertMisuse("ncclAllReduce: the communicator of rank 0 is in use by another thread");
    pair.add(1);
    nccl().ok("ncclGroupEnd");
    synchronizeAll(2);
    assertEquals(
        0, Task.start("other", () -> nccl().code("ncclCommAbort", pair.communicators[0])).join());
    assertEquals(1, collectives().misuses().size(), "it is not in use any more");
  }

  @Test
  void reportsAnAbortDuringALaunch() throws Exception {
    Pair pair = new Pair();
    collectives().openGap();
    Task<Integer> launching = Task.start("launch", pair::sum);
    Waits.awaitTrue("a group launched in part", collectives()::isHalfLaunched);
    nccl().ok("ncclCommAbort", pair.communicators[0]);
    assertMisuse("ncclCommAbort: the communicator of rank 0 is in use by another thread");
    collectives().closeGap();
    assertEquals(0, launching.join());
    nccl().ok("ncclCommAbort", pair.communicators[1]);
    synchronizeAll(2);
  }

  @Test
  void reportsAStreamOfAnotherDevice() {
    Pair pair = new Pair();
    assertEquals(
        INVALID_USAGE,
        nccl()
            .call(
                Kind.ALL_REDUCE,
                pair.from[0],
                pair.to[0],
                1,
                INT32,
                SUM,
                0,
                pair.communicators[0],
                streams[1]));
    assertMisuse("the stream is one of device 1, and rank 0 is device 0");
    assertEquals(
        INVALID_ARGUMENT,
        nccl()
            .call(
                Kind.ALL_REDUCE,
                pair.from[0],
                pair.to[0],
                1,
                INT32,
                SUM,
                0,
                pair.communicators[0],
                0));
    assertEquals(2, collectives().misuses().size());
  }

  private void assertRefused(String misuse, int code, long from, long to, int count, int type) {
    long[] communicators = nccl().init(0, 1);
    assertEquals(
        code,
        nccl().call(Kind.ALL_REDUCE, from, to, count, type, SUM, 0, communicators[0], streams[0]));
    List<String> misuses = collectives().misuses();
    assertTrue(misuses.get(misuses.size() - 1).contains(misuse), () -> String.join("\n", misuses));
    nccl().each("ncclCommDestroy", communicators);
  }

  @Test
  void refusesInvalidMemory() {
    long one = ints(0, 1, 2, 3, 4);
    long two = ints(0, 1, 2, 3, 4);
    long there = ints(1, 1, 2, 3, 4);
    assertRefused("go beyond device memory of 16 bytes", INVALID_ARGUMENT, one, two, 5, INT32);
    assertRefused("is no memory of the device", INVALID_ARGUMENT, one, 4096, 1, INT32);
    assertRefused("has no access to", INVALID_ARGUMENT, there, two, 1, INT32);
    assertRefused("source and target of rank 0 overlap", INVALID_ARGUMENT, one, one + 4, 2, INT32);
    assertRefused("are not both multiples of 4", INVALID_ARGUMENT, one + 2, two, 1, INT32);
    assertRefused("there is no type 10", INVALID_ARGUMENT, one, two, 1, 10);
    assertEquals(0, face.free(one));
    assertRefused("that was freed", INVALID_ARGUMENT, one, two, 1, INT32);
  }

  @Test
  void freeingMemoryBeforeThePartRunsLosesTheDevice() {
    Pair pair = new Pair();
    collectives().stall(1);
    assertEquals(0, pair.sum());
    assertEquals(0, face.free(pair.from[0]));
    collectives().go(1);
    assertEquals(700, synchronize(0));
    assertMisuse("that was freed");
    assertTrue(!isIdle(1));
    pair.abort();
    assertEquals(0, synchronize(1));
  }

  @Test
  void reportsRanksWithDifferentCalls() {
    Pair pair = new Pair();
    List<Runnable> calls =
        List.of(
            () -> pair.add(0),
            () ->
                assertEquals(
                    0,
                    nccl()
                        .call(
                            Kind.ALL_REDUCE,
                            pair.from[1],
                            pair.to[1],
                            1,
                            INT32,
                            1,
                            0,
                            pair.communicators[1],
                            streams[1])));
    assertEquals(INVALID_USAGE, nccl().group(calls));
    assertMisuse("rank 1 does not ask for the same as another one");
    pair.abort();
    synchronizeAll(2);
  }

  @Test
  void reportsAnEndOnAnotherThread() {
    assertEquals(INVALID_USAGE, nccl().code("ncclGroupEnd"));
    assertMisuse("no group was started on this thread");
  }

  /** On real devices, each device works for one of them, and waits for the other forever. */
  @Test
  void reportsLaunchesInDifferentOrders() {
    Pair first = new Pair();
    Pair second = new Pair();
    assertEquals(0, nccl().group(List.of(() -> first.add(0), () -> second.add(0))));
    assertNoMisuse();
    assertEquals(0, nccl().group(List.of(() -> second.add(1), () -> first.add(1))));
    assertMisuse("two communicators were launched in one order on device");
    first.abort();
    second.abort();
    synchronizeAll(2);
  }

  @Test
  void acceptsLaunchesInOneOrder() {
    Pair first = new Pair();
    Pair second = new Pair();
    for (int i = 0; i < 100; i++) {
      assertEquals(0, first.sum());
      assertEquals(0, second.sum());
    }
    synchronizeAll(2);
    assertNoMisuse();
  }

  // Locks that launches need.

  /** Makes a call between the launches of two ranks, and ends the resulting hang by an abort. */
  private void assertBlocksTheGroup(String function, Task.Action body) throws Exception {
    Pair pair = new Pair();
    collectives().openGap();
    Task<Integer> launching = Task.start("launch", pair::sum);
    Waits.awaitTrue("a group launched in part", collectives()::isHalfLaunched);
    Task<?> calling = Task.run(function, body);
    Waits.awaitTrue("a misuse", () -> !collectives().misuses().isEmpty());
    assertMisuse(function + ": it waits for a device with a part of a group");
    collectives().closeGap();
    assertTrue(launching.isRunning() && calling.isRunning());
    assertTrue(!isIdle(0) && isIdle(1), "rank 1 is not launched");
    nccl().ok("ncclCommAbort", pair.communicators[0]);
    var unused = calling.join();
    assertEquals(0, launching.join());
    nccl().ok("ncclCommAbort", pair.communicators[1]);
    synchronizeAll(2);
  }

  @Test
  void aFreeBetweenTwoLaunchesBlocksTheGroup() throws Exception {
    long memory = ints(0, 1);
    assertBlocksTheGroup(
        face.freeing(),
        () -> {
          face.use(0);
          assertEquals(0, face.free(memory));
        });
  }

  @Test
  void aNewCommunicatorBetweenTwoLaunchesBlocksTheGroup() throws Exception {
    assertBlocksTheGroup("ncclCommInitAll", () -> nccl().init(0));
  }

  @Test
  void acceptsAFreeOnADeviceWithoutAPart() throws Exception {
    long memory = ints(1, 1);
    Pair pair = new Pair();
    collectives().openGap();
    Task<Integer> launching = Task.start("launch", pair::sum);
    Waits.awaitTrue("a group launched in part", collectives()::isHalfLaunched);
    face.use(1);
    assertEquals(0, face.free(memory));
    face.use(0);
    collectives().closeGap();
    assertEquals(0, launching.join());
    synchronizeAll(2);
    assertNoMisuse();
  }

  /** It waits for no work that depends on it. */
  @Test
  void acceptsAFreeBesideALaunchedGroup() {
    long memory = ints(0, 1);
    Pair pair = new Pair();
    collectives().launchGap(Duration.ofMillis(1));
    collectives().stall(1);
    assertEquals(0, pair.sum());
    assertEquals(0, face.free(memory));
    collectives().go(1);
    synchronizeAll(2);
    assertNoMisuse();
  }
}
