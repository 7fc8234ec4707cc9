// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.kernel;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jhal.Args;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.Waits;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Bundles that are loaded while the program goes on. */
@CtsSuite
class AsyncLoadTest {
  /** More than a device is likely to load at the same time. */
  private static final int MANY = 20;

  /** The failure of a load; null if it gives an executable, which this closes. */
  private static @Nullable HalException awaitEnd(CompletableFuture<Executable> load) {
    awaitTrue("a load to end", load::isDone);
    try {
      load.join().close();
      return null;
    } catch (CompletionException e) {
      if (e.getCause() instanceof HalException failure) {
        return failure;
      }
      throw e;
    }
  }

  private static List<CompletableFuture<Executable>> loadMany(Device device, HeldBundle bundle) {
    List<CompletableFuture<Executable>> loads = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      loads.add(device.loadExecutableAsync(bundle.source()));
    }
    awaitTrue("a load to begin", () -> bundle.begun() > 0);
    return loads;
  }

  @Test
  @Rule("M8a")
  void eachLoadGivesAnExecutable(Cts cts) {
    List<CompletableFuture<Executable>> loads = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      loads.add(cts.device().loadExecutableAsync(cts.backend().kernels().get(0)));
    }
    DeviceBuffer list = cts.buffer(new byte[4 * 7]);
    TimelineSemaphore timeline = cts.semaphore();
    for (int i = 0; i < loads.size(); i++) {
      awaitTrue("a load to end", loads.get(i)::isDone);
      Executable loaded = cts.closing(loads.get(i).join());
      cts.queue()
          .dispatch(
              timeline.at(i),
              timeline.at(1 + i),
              loaded.kernel("append"),
              Workgroups.of(1),
              Args.of(list, i));
    }
    awaitReached(timeline, 6);
    assertBytes(ints(6, 0, 1, 2, 3, 4, 5), cts.read(list), "through six executables");
  }

  @Test
  @Rule({"M8a", "M5"})
  void aLoadFailsAsACallWould(Cts cts) {
    ExecutableSource empty = BundleFolder.of(cts, "").source();
    HalException failure = awaitEnd(cts.device().loadExecutableAsync(empty));
    HalException expected = assertHal(Status.NOT_FOUND, () -> cts.device().loadExecutable(empty));
    assertNotNull(failure, "an empty bundle was loaded");
    assertHal(Status.NOT_FOUND, failure, String.valueOf(expected.getMessage()));
  }

  @Test
  @Rule({"M8a", "K4"})
  void loadsHoldUpNoOtherWork(Cts cts) throws Exception {
    HeldBundle bundle = HeldBundle.of(cts);
    List<CompletableFuture<Executable>> loads = loadMany(cts.device(), bundle);
    DeviceBuffer buffer = cts.buffer(64);
    TimelineSemaphore timeline = cts.semaphore();
    CountDownLatch called = new CountDownLatch(1);
    cts.queue().hostCall(Fence.NONE, timeline.at(1), HostCall.Mode.BLOCKING, call -> {});
    cts.queue().fill(timeline.at(1), timeline.at(2), buffer, 0, 64, FillPattern.ZERO);
    timeline.onReach(2, outcome -> called.countDown());
    awaitReached(timeline, 2);
    assertTrue(
        called.await(Waits.LIMIT.toNanos(), TimeUnit.NANOSECONDS), "the callback did not come");
    assertFalse(loads.stream().anyMatch(CompletableFuture::isDone), "a load has ended");
    bundle.open();
    loads.forEach(AsyncLoadTest::awaitEnd);
  }

  @Test
  @Rule({"M8a", "M7"})
  void whatNobodyWantsAnyMoreIsClosed(Cts cts) {
    HeldBundle bundle = HeldBundle.of(cts);
    long before = cts.device().statistics().executables();
    List<CompletableFuture<Executable>> loads = loadMany(cts.device(), bundle);
    loads.forEach(load -> assertTrue(load.cancel(false)));
    CompletableFuture<Executable> last = cts.device().loadExecutableAsync(bundle.source());
    bundle.open();
    awaitEnd(last);
    Waits.awaitStatistics(
        "what was loaded in vain to be closed", cts.device(), now -> now.executables() == before);
  }

  @Test
  @Rule({"M8a", "S7"})
  void whatDependsOnALoadMustNotWait(Cts cts) {
    HeldBundle bundle = HeldBundle.of(cts);
    TimelineSemaphore never = cts.semaphore();
    CompletableFuture<Executable> load = cts.device().loadExecutableAsync(bundle.source());
    CompletableFuture<Status> dependent =
        load.handle(
            (loaded, thrown) -> {
              if (loaded != null) {
                loaded.close();
              }
              try {
                never.await(1, Waits.LIMIT);
                return Status.INTERNAL;
              } catch (HalException e) {
                return e.status();
              } catch (InterruptedException e) {
                throw new CompletionException(e);
              }
            });
    bundle.open();
    awaitTrue("the dependent to run", dependent::isDone);
    assertEquals(Status.FAILED_PRECONDITION, dependent.join());
  }

  @Test
  @FreshDevice
  @Rule({"M8a", "Q8"})
  void closingTheDeviceEndsAllLoads(Cts cts) throws Exception {
    Device device = cts.device();
    HeldBundle bundle = HeldBundle.of(cts);
    List<CompletableFuture<Executable>> loads = loadMany(device, bundle);
    Task<@Nullable Void> closer = Task.run("closer", device::close);
    awaitTrue("the close to begin", device::isClosed);
    bundle.open();
    for (CompletableFuture<Executable> load : loads) {
      HalException failure = awaitEnd(load);
      if (failure != null) {
        assertHal(Status.FAILED_PRECONDITION, failure, "closed");
      }
    }
    closer.join();
    assertHal(
        Status.FAILED_PRECONDITION, () -> device.loadExecutableAsync(bundle.source()), "closed");
  }
}
