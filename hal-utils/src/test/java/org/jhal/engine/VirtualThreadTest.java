// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.BufferParams;
import org.jhal.CollectiveGroup;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.engine.queue.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** No native call is made on a virtual thread, which may change its carrier thread. */
@EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "virtual threads came with Java 21")
class VirtualThreadTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);

  private final InstantBackend backend = new InstantBackend();
  private final List<EngineDevice<?>> devices = new ArrayList<>(); // which the test closes

  @AfterEach
  void closeDevices() {
    devices.forEach(EngineDevice::close);
  }

  /** A step of a test that may be interrupted. */
  private interface Step {
    void run() throws Exception;
  }

  /** Virtual threads, and their throwables. */
  private static final class VirtualThreads {
    private final List<Thread> threads = new ArrayList<>();
    private final ConcurrentLinkedQueue<Throwable> thrown = new ConcurrentLinkedQueue<>();

    void start(Step step) throws ReflectiveOperationException {
      Thread thread =
          Threads.virtual()
              .newThread(
                  () -> {
                    try {
                      step.run();
                    } catch (Throwable t) {
                      thrown.add(t);
                    }
                  });
      threads.add(thread);
      thread.start();
    }

    boolean allRun() {
      return threads.stream().allMatch(Thread::isAlive);
    }

    void join() throws InterruptedException {
      for (Thread thread : threads) {
        thread.join(DEADLINE.toMillis());
        assertEquals(Thread.State.TERMINATED, thread.getState(), () -> thread + " does not end");
      }
      assertEquals(List.of(), List.copyOf(thrown));
    }
  }

  private static void onVirtualThreads(int count, Step step) throws Exception {
    VirtualThreads threads = new VirtualThreads();
    for (int i = 0; i < count; i++) {
      threads.start(step);
    }
    threads.join();
  }

  @Test
  void operationsAreIssuedAndAwaitedWithoutBinding() throws Exception {
    try (EngineDevice<Object> device = backend.open(2);
        DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE)) {
      onVirtualThreads(
          100,
          () -> {
            try (TimelineSemaphore semaphore = device.createSemaphore(0)) {
              DeviceQueue queue = device.queue((int) (semaphore.hashCode() & 1));
              for (int i = 1; i <= 100; i++) {
                queue.fill(
                    i % 10 == 0 ? semaphore.at(i - 1) : Fence.NONE,
                    semaphore.at(i),
                    buffer,
                    0,
                    64,
                    FillPattern.ZERO);
                if (i % 20 == 0) {
                  semaphore.await(i, DEADLINE);
                }
              }
            }
          });
    }
    assertEquals(List.of(), List.copyOf(backend.misuses));
  }

  @Test
  void parkedWorkIsIssuedWithoutBindingWhenAVirtualThreadSignals() throws Exception {
    try (EngineDevice<Object> device = backend.open(2);
        TimelineSemaphore gate = device.createSemaphore(0);
        TimelineSemaphore done = device.createSemaphore(0)) {
      device.queue(0).barrier(gate.at(1), done.at(1));
      device.queue(1).barrier(gate.at(1), done.at(2));
      onVirtualThreads(1, () -> gate.signal(1));
      done.await(2, DEADLINE);
    }
    assertEquals(List.of(), List.copyOf(backend.misuses));
  }

  @Test
  void memoryIsAllocatedAndFreedWithoutBinding() throws Exception {
    try (EngineDevice<Object> device = backend.open(1)) {
      onVirtualThreads(
          50,
          () -> {
            try (DeviceBuffer buffer = device.allocate(64, BufferParams.HOST);
                DeviceBuffer imported =
                    device
                        .allocator()
                        .importHost(ByteBuffer.allocateDirect(64), BufferParams.HOST, () -> {})) {
              buffer.map(0, 64, DeviceBuffer.MapMode.READ_WRITE).close();
              assertEquals(64, imported.size());
            }
          });
      assertEquals(0, device.statistics().bytes());
    }
    assertEquals(List.of(), List.copyOf(backend.misuses));
  }

  @Test
  void aDeviceIsOpenedAndClosedWithoutBinding() throws Exception {
    onVirtualThreads(
        5,
        () -> {
          EngineDevice<Object> device = backend.open(1);
          DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE);
          device.close();
          buffer.close();
        });
    assertEquals(List.of(), List.copyOf(backend.misuses));
  }

  // Calls that wait.

  /** More than the limit of concurrent calls of virtual threads. */
  private static final int TOO_MANY = 4 * Runtime.getRuntime().availableProcessors() + 1;

  private EngineDevice<Object> open(InstantBackend slow) {
    EngineDevice<Object> device = slow.open(1, Duration.ofMinutes(5));
    devices.add(device);
    return device;
  }

  private static void await(CountDownLatch go, String what) {
    try {
      assertTrue(go.await(1, TimeUnit.MINUTES), () -> "waited a minute for " + what);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Makes blocking calls on virtual threads until {@code go}, and checks that another call is not
   * delayed.
   *
   * @param awaitAll waits until all of them wait
   */
  private void assertOthersGoOn(List<Step> calls, Step awaitAll, CountDownLatch go)
      throws Exception {
    assertEquals(TOO_MANY, calls.size());
    VirtualThreads threads = new VirtualThreads();
    try (EngineDevice<Object> other = backend.open(1)) {
      try {
        for (Step call : calls) {
          threads.start(call);
        }
        awaitAll.run();
        onVirtualThreads(1, () -> other.allocate(64, BufferParams.DEVICE).close());
        assertTrue(threads.allRun(), "the calls wait");
      } finally {
        go.countDown();
      }
      threads.join();
    }
    assertEquals(List.of(), List.copyOf(backend.misuses));
  }

  /** Each waits for a host call of the program. */
  @Test
  void closesOfDevicesDoNotDelayOtherVirtualThreads() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    AtomicInteger running = new AtomicInteger();
    List<Step> closes = new ArrayList<>();
    for (int i = 0; i < TOO_MANY; i++) {
      EngineDevice<Object> device = open(new InstantBackend());
      device
          .queue(0)
          .hostCall(
              Fence.NONE,
              Fence.NONE,
              HostCall.Mode.BLOCKING,
              context -> {
                running.incrementAndGet();
                await(go, "a call beside the closes");
              });
      closes.add(device::close);
    }
    Threads.await("all host calls to run", () -> running.get() == TOO_MANY);
    assertOthersGoOn(
        closes,
        () ->
            Threads.await(
                "all closes to begin", () -> devices.stream().allMatch(EngineDevice::isClosed)),
        go);
  }

  /** Each waits for the driver. */
  @Test
  void makingGroupsDoesNotDelayOtherVirtualThreads() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    AtomicInteger waiting = new AtomicInteger();
    List<Step> makes = new ArrayList<>();
    for (int i = 0; i < TOO_MANY; i++) {
      InstantBackend slow = new InstantBackend();
      EngineDevice<Object> device = open(slow);
      slow.atCall =
          call -> {
            if (call.equals("createGroup")) {
              waiting.incrementAndGet();
              await(go, "a call beside the makes");
            }
          };
      makes.add(() -> CollectiveGroup.of(device).close());
    }
    assertOthersGoOn(makes, () -> Threads.await("all makes", () -> waiting.get() == TOO_MANY), go);
  }

  private CollectiveGroup group(FakeGroup natives) {
    InstantBackend backend = new InstantBackend();
    backend.natives = natives;
    return CollectiveGroup.of(open(backend));
  }

  /** Each waits for a running collective. */
  @Test
  void closesOfGroupsDoNotDelayOtherVirtualThreads() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    AtomicInteger running = new AtomicInteger();
    List<CollectiveGroup> groups = new ArrayList<>();
    for (int i = 0; i < TOO_MANY; i++) {
      FakeGroup natives = new FakeGroup(rank -> true);
      natives.atIssue =
          () -> {
            running.incrementAndGet();
            await(go, "a call beside the closes");
          };
      CollectiveGroup group = group(natives);
      groups.add(group);
      DeviceBuffer source = group.devices().get(0).allocate(64, BufferParams.DEVICE);
      DeviceBuffer target = group.devices().get(0).allocate(64, BufferParams.DEVICE);
      group.broadcast(0, List.of(new CollectiveGroup.Rank(Fence.NONE, Fence.NONE, source, target)));
    }
    Threads.await("all collectives to run", () -> running.get() == TOO_MANY);
    assertOthersGoOn(
        groups.stream().<Step>map(group -> group::close).toList(),
        () ->
            Threads.await(
                "all closes to begin", () -> groups.stream().allMatch(CollectiveGroup::isClosed)),
        go);
  }

  /** Each waits until the driver has freed its part. */
  @Test
  void freesOfGroupsDoNotDelayOtherVirtualThreads() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    AtomicInteger freeing = new AtomicInteger();
    List<Step> closes = new ArrayList<>();
    for (int i = 0; i < TOO_MANY; i++) {
      FakeGroup natives = new FakeGroup(rank -> true);
      natives.atClose =
          () -> {
            freeing.incrementAndGet();
            await(go, "a call beside the frees");
          };
      closes.add(group(natives)::close);
    }
    assertOthersGoOn(closes, () -> Threads.await("all frees", () -> freeing.get() == TOO_MANY), go);
  }

  @Test
  void aRefusalReachesTheVirtualThread() throws Exception {
    try (EngineDevice<Object> device = backend.open(1)) {
      onVirtualThreads(
          1,
          () -> {
            Thread.currentThread().interrupt();
            try {
              device.allocate(-1, BufferParams.DEVICE);
            } catch (HalException e) {
              assertEquals(Status.OUT_OF_RANGE, e.status());
            }
            DeviceBuffer buffer = device.allocate(8, BufferParams.DEVICE);
            assertNotNull(buffer);
            assertTrue(Thread.interrupted(), "the interrupt is kept");
            buffer.close();
          });
    }
  }
}
