// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.collective;

import static org.jhal.simulator.collective.CollectiveCalls.INTERNAL_ERROR;
import static org.jhal.simulator.collective.CollectiveCalls.REMOTE_ERROR;
import static org.jhal.simulator.collective.CollectiveCalls.SYSTEM_ERROR;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Parts of simulated collectives that wait, are aborted, or fail on purpose. */
class GpuCollectiveLifeTest extends OnCollectives {
  // Waiting, and being aborted.

  @Test
  void aPartWaitsForThePartsOfAllRanks() {
    Pair pair = new Pair();
    simulator().pause(1, streams[1]);
    assertEquals(0, pair.sum());
    assertTrue(!isIdle(0) && !isIdle(1));
    simulator().resume(1, streams[1]);
    synchronizeAll(2);
    assertArrayEquals(new int[] {3}, read(pair.to[0], 1));
    assertNoMisuse();
  }

  @Test
  void aStalledRankDelaysAllRanks() {
    Pair pair = new Pair();
    collectives().stall(1);
    assertEquals(0, pair.sum());
    assertTrue(!isIdle(0) && !isIdle(1));
    collectives().go(1);
    synchronizeAll(2);
    assertArrayEquals(new int[] {3}, read(pair.to[1], 1));
    assertEquals(0, collectives().aborted());
  }

  @Test
  void anAbortedPartEndsWithoutAnErrorAndWithoutAResult() {
    Pair pair = new Pair();
    collectives().stall(1);
    assertEquals(0, pair.sum());
    nccl().ok("ncclCommAbort", pair.communicators[0]);
    assertEquals(0, synchronize(0));
    assertTrue(!isIdle(1), "its communicator is another one");
    nccl().ok("ncclCommAbort", pair.communicators[1]);
    assertEquals(0, synchronize(1));
    assertArrayEquals(new int[] {-1}, read(pair.to[0], 1));
    assertArrayEquals(new int[] {-1}, read(pair.to[1], 1));
    assertEquals(2, collectives().aborted());
    assertEquals(0, collectives().live());
    collectives().go(1);
    new Pair().check();
    assertNoMisuse();
  }

  @Test
  void anAbortWaitsForPartsThatHaveNotBegun() throws Exception {
    Pair pair = new Pair();
    simulator().pause(0, streams[0]);
    assertEquals(0, pair.sum());
    Task<?> aborting = Task.run("abort", pair::abort);
    Waits.awaitTrue("the abort", () -> collectives().live() == 1);
    assertTrue(!isIdle(0) && aborting.isRunning());
    simulator().resume(0, streams[0]);
    var unused = aborting.join();
    assertEquals(0, synchronize(0));
    assertEquals(0, synchronize(1));
    assertArrayEquals(new int[] {-1}, read(pair.to[0], 1));
  }

  @Test
  void destroyingACommunicatorWaitsForItsParts() throws Exception {
    Pair pair = new Pair();
    collectives().stall(0);
    assertEquals(0, pair.sum());
    Task<?> destroying =
        Task.run("destroy", () -> nccl().ok("ncclCommDestroy", pair.communicators[1]));
    Waits.awaitTrue("the call", () -> collectives().calls().containsKey("ncclCommDestroy"));
    assertTrue(destroying.isRunning());
    assertEquals(2, collectives().live());
    collectives().go(0);
    var unused = destroying.join();
    assertEquals(1, collectives().live());
    synchronizeAll(2);
    assertNoMisuse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"ncclCommAbort", "ncclCommDestroy"})
  void aHangingCallHasNoEffectUntilItIsReleased(String function) throws Exception {
    Pair pair = new Pair();
    collectives().hang(function);
    Task<?> ending = Task.run("end", () -> nccl().ok(function, pair.communicators[0]));
    Waits.awaitTrue("the call", () -> collectives().calls().containsKey(function));
    assertTrue(ending.isRunning());
    assertEquals(2, collectives().live());
    collectives().release(function);
    var unused = ending.join();
    assertEquals(1, collectives().live());
    collectives().hang("ncclCommInitAll", Duration.ofMillis(1));
    new Pair().check();
    assertNoMisuse();
  }

  @Test
  void aResetReleasesHangingCalls() throws Exception {
    Pair pair = new Pair();
    collectives().stall(0);
    assertEquals(0, pair.sum());
    collectives().hang("ncclCommAbort");
    Task<Integer> aborting =
        Task.start("abort", () -> nccl().code("ncclCommAbort", pair.communicators[0]));
    Task<Integer> destroying =
        Task.start("destroy", () -> nccl().code("ncclCommDestroy", pair.communicators[1]));
    Waits.awaitTrue(
        "both calls",
        () ->
            collectives()
                .calls()
                .keySet()
                .containsAll(List.of("ncclCommAbort", "ncclCommDestroy")));
    gpu.reset();
    for (Task<Integer> each : List.of(aborting, destroying)) {
      var unused = each.join(); // with or without an effect
    }
    assertEquals(0, collectives().live());
    startAnew();
    new Pair().check();
  }

  // Injected failures.

  @Test
  void aFailedCallFailsItsGroupBeforeTheLaunch() {
    Pair pair = new Pair();
    collectives().fail("ncclAllReduce", 2, INTERNAL_ERROR);
    nccl().ok("ncclGroupStart");
    assertEquals(0, pair.call(0));
    assertEquals(INTERNAL_ERROR, pair.call(1));
    assertEquals(INTERNAL_ERROR, nccl().code("ncclGroupEnd"));
    assertTrue(
        nccl().text("ncclGetLastError", 0L).contains("ncclAllReduce failed on purpose, with 3"));
    synchronizeAll(2);
    pair.check();
    assertNoMisuse();
  }

  @Test
  void aFailedGroupEndEndsTheGroup() {
    Pair pair = new Pair();
    collectives().fail("ncclGroupEnd", 1, SYSTEM_ERROR);
    assertEquals(SYSTEM_ERROR, pair.sum());
    pair.check();
    collectives().fail("ncclGroupStart", 1, SYSTEM_ERROR);
    assertEquals(SYSTEM_ERROR, nccl().code("ncclGroupStart"));
    pair.check();
    assertNoMisuse();
  }

  @Test
  void aFailedLaunchKeepsEarlierLaunches() {
    Pair pair = new Pair();
    collectives().fail("@launch", 2, 1);
    assertEquals(1, pair.sum());
    assertEquals(0, synchronize(1));
    assertTrue(!isIdle(0));
    pair.abort();
    assertEquals(0, synchronize(0));
    new Pair().check();
    assertNoMisuse();
  }

  @Test
  void asynchronousErrorsAreReturnedOnRequest() {
    Pair pair = new Pair();
    collectives().asynchronousError(1, REMOTE_ERROR);
    int[] out = {-1};
    nccl().ok("ncclCommGetAsyncError", pair.communicators[0], out);
    assertEquals(0, out[0]);
    nccl().ok("ncclCommGetAsyncError", pair.communicators[1], out);
    assertEquals(REMOTE_ERROR, out[0]);
  }

  /** The context of the rank is lost, and the other ranks wait. */
  @Test
  void aFailedPartLosesItsDevice() {
    Pair pair = new Pair();
    simulator().fail("@collective", 1, 719);
    simulator().pause(1, streams[1]);
    assertEquals(0, pair.sum());
    assertEquals(719, synchronize(0));
    simulator().resume(1, streams[1]);
    assertTrue(!isIdle(1));
    pair.abort();
    assertEquals(0, synchronize(1));
  }
}
