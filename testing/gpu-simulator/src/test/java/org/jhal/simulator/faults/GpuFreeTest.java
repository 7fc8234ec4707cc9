// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.faults;

import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.simulator.fixture.NativeCall.BIND;
import static org.jhal.simulator.fixture.NativeCall.CONTEXT_RELEASE;
import static org.jhal.simulator.fixture.NativeCall.DEVICE_MEMORY;
import static org.jhal.simulator.fixture.NativeCall.HOST_FREE;
import static org.jhal.simulator.fixture.NativeCall.POOL_DESTROY;
import static org.jhal.simulator.fixture.NativeCall.STREAM_DESTROY;
import static org.jhal.simulator.fixture.NativeCall.STREAM_QUERY;
import static org.jhal.simulator.fixture.NativeCall.STREAM_SYNCHRONIZE;
import static org.jhal.simulator.fixture.NativeCall.UNBIND;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceBuffer.MapMode;
import org.jhal.DeviceUri;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.faults.FaultLog;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.TestData;
import org.jhal.cts.support.Waits;
import org.jhal.driver.support.FreeThread;
import org.jhal.gpu.GpuDevice;
import org.jhal.gpu.GpuDriver;
import org.jhal.simulator.fixture.GpuFault;
import org.jhal.simulator.fixture.LogLines;
import org.jhal.simulator.fixture.NativeCall;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.jhal.simulator.fixture.SimulatedGpu;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Resources that a separate thread frees, also if that fails. */
@Timeout(60)
class GpuFreeTest {
  private static final int PAGE = 4096;

  @RegisterExtension final SimulatedDevices sim = new SimulatedDevices();
  private final SimulatedGpu gpu = sim.gpu();
  private final String name = sim.driver().name();
  private final AtomicReference<GpuDevice> backend = new AtomicReference<>();
  private FaultLog log;

  /** What a device may leave if a function fails while it closes. */
  private Map<NativeCall, Set<String>> leftovers() {
    Map<NativeCall, Set<String>> left = new EnumMap<>(NativeCall.class);
    left.put(BIND, Set.of("pool", "registration", "stream", "event"));
    left.put(UNBIND, Set.of());
    left.put(STREAM_QUERY, Set.of());
    left.put(STREAM_DESTROY, Set.of("stream"));
    left.put(STREAM_SYNCHRONIZE, Set.of());
    left.put(POOL_DESTROY, Set.of("pool"));
    if (!gpu.keepsContexts()) { // all but pools ends with its context
      left.replaceAll((call, kinds) -> kinds.contains("pool") ? Set.of("pool") : Set.of());
    }
    return left;
  }

  @BeforeEach
  void listen() {
    log = new FaultLog();
  }

  @AfterEach
  void stopListening() {
    log.close();
  }

  /** A device whose {@link #backend} is known. */
  private Device open() {
    return sim.driver()
        .open(
            DeviceUri.parse(name + "://0?queues=1"),
            device -> {
              backend.set(device);
              return device;
            });
  }

  private FreeThread frees() {
    return Objects.requireNonNull(backend.get()).frees();
  }

  private Map<String, Long> live() {
    return sim.live();
  }

  private static ByteBuffer pages(int count) {
    return ByteBuffer.allocateDirect((count + 1) * PAGE).alignedSlice(PAGE).limit(count * PAGE);
  }

  /** Blocks the thread until {@code end} is counted down, as if the device were not idle. */
  private void holdFrees(CountDownLatch end) {
    frees().free(() -> Waits.awaitTrue("the end", () -> end.getCount() == 0));
  }

  /** Two devices on one GPU have threads of the same name, each of which may wait for the other. */
  @Test
  void theThreadsOfTwoDevicesOnOneGpuTakeTurns() {
    List<String> order = new CopyOnWriteArrayList<>();
    AtomicReference<Thread> waiting = new AtomicReference<>();
    CountDownLatch end = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    try (Device one = open()) {
      FreeThread first = frees();
      try (Device other = open()) {
        FreeThread second = frees();
        holdFrees(end);
        second.free(() -> order.add("the second's"));
        first.free(
            () -> {
              waiting.set(Thread.currentThread());
              second.await();
              order.add("behind it");
              first.await(); // for itself it does not
              over.countDown();
            });
        Waits.awaitTrue(
            "the first's thread to wait, or to be done",
            () -> {
              Thread thread = waiting.get();
              return over.getCount() == 0
                  || (thread != null && thread.getState() == Thread.State.WAITING);
            });
        end.countDown();
        Waits.awaitTrue("the first's thread to be done", () -> over.getCount() == 0);
      }
    }
    assertEquals(List.of("the second's", "behind it"), order);
  }

  /**
   * For example if the release callbacks of both devices import the memory that the other device
   * has registered.
   */
  @Test
  void threadsOfTwoDevicesThatWaitForEachOtherContinue() {
    CountDownLatch inside = new CountDownLatch(2);
    CountDownLatch over = new CountDownLatch(2);
    try (Device one = open()) {
      FreeThread first = frees();
      try (Device other = open()) {
        FreeThread second = frees();
        for (FreeThread own : List.of(first, second)) {
          FreeThread others = own == first ? second : first;
          own.free(
              () -> {},
              () -> {
                inside.countDown();
                Waits.awaitTrue("both threads", () -> inside.getCount() == 0);
                others.await();
                over.countDown();
              });
        }
        Waits.awaitTrue("both threads to go on", () -> over.getCount() == 0);
      }
    }
  }

  /** The thread that drops the last reference, such as the completion thread, does not wait. */
  @Test
  void theFreeThreadUnregistersImportedMemory() {
    CountDownLatch end = new CountDownLatch(1);
    AtomicReference<Boolean> wasRegistered = new AtomicReference<>();
    try (Device device = open()) {
      holdFrees(end);
      device
          .allocator()
          .importHost(
              pages(1),
              BufferParams.HOST,
              () -> wasRegistered.set(live().containsKey("registration")))
          .close();
      assertEquals(0, device.statistics().buffers());
      assertNull(wasRegistered.get(), "its owner was notified before it was unregistered");
      end.countDown();
      assertFalse(Waits.awaitSet("the release of the memory", wasRegistered));
    }
  }

  /** Rule M1: the stream may not have reached the operation that uses it. */
  @Test
  void hostMemoryStaysPageLockedUntilTheStreamHasPassedItsDealloca() {
    try (Device device = open();
        TimelineSemaphore done = device.createSemaphore(0)) {
      DeviceBuffer buffer = device.queue(0).alloca(Fence.NONE, done.at(1), PAGE, BufferParams.HOST);
      awaitReached(done, 1);
      sim.simulator().pause(0, 0);
      try {
        device.queue(0).fill(done.at(1), done.at(2), buffer, 0, PAGE, FillPattern.of8(7));
        device.queue(0).dealloca(done.at(2), done.at(3), buffer);
        device.queue(0).barrier(done.at(3), done.at(4)); // what is past is freed with an event
        buffer.close();
        Waits.assertStaysPending(done.at(2));
        frees().await();
        assertEquals(1, live().get("registration"));
      } finally {
        sim.simulator().resume(0, 0);
      }
      awaitReached(done, 4);
      device.queue(0).barrier(Fence.NONE, done.at(5));
      awaitReached(done, 5);
      frees().await();
      assertNull(live().get("registration"));
    }
  }

  @Test
  void importingAgainWaitsForTheEndOfTheLastImport() throws Exception {
    ByteBuffer memory = pages(1);
    CountDownLatch end = new CountDownLatch(1);
    try (Device device = open()) {
      DeviceBuffer first = device.allocator().importHost(memory, BufferParams.HOST, null);
      holdFrees(end);
      first.close();
      Task<DeviceBuffer> second =
          Task.start(
              "second import",
              () -> device.allocator().importHost(memory, BufferParams.HOST, null));
      second.awaitBlocked();
      end.countDown();
      second.join().close();
    }
  }

  /** More imports than calls of virtual threads can run at a time. */
  @Test
  void waitingImportsDoNotBlockOtherVirtualThreads() throws Exception {
    ThreadFactory factory = Task.virtualThreads();
    int count = 4 * Runtime.getRuntime().availableProcessors() + 1;
    CountDownLatch end = new CountDownLatch(1);
    CountDownLatch imported = new CountDownLatch(count);
    CountDownLatch allocated = new CountDownLatch(1);
    try (Device device = open()) {
      List<DeviceBuffer> first = new ArrayList<>();
      List<ByteBuffer> memories = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        ByteBuffer memory = pages(1);
        memories.add(memory);
        first.add(device.allocator().importHost(memory, BufferParams.HOST, null));
      }
      holdFrees(end);
      try {
        first.forEach(DeviceBuffer::close);
        for (ByteBuffer memory : memories) {
          Runnable importAgain =
              () -> {
                device.allocator().importHost(memory, BufferParams.HOST, null).close();
                imported.countDown();
              };
          factory.newThread(importAgain).start();
        }
        Waits.awaitTrue("all imports to wait", () -> waitingCalls() == count);
        Runnable allocate =
            () -> {
              device.allocate(PAGE, BufferParams.DEVICE).close();
              allocated.countDown();
            };
        factory.newThread(allocate).start();
        Waits.awaitTrue("the allocation beside the imports", () -> allocated.getCount() == 0);
        assertEquals(count, imported.getCount());
      } finally {
        end.countDown();
      }
      Waits.awaitTrue("all imports to end", () -> imported.getCount() == 0);
    }
  }

  /** How many threads wait in a call on behalf of a virtual thread. */
  private long waitingCalls() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals(name + "-0-call"))
        .filter(thread -> thread.getState() == Thread.State.WAITING)
        .count();
  }

  @Test
  void refusesASecondImportOfImportedMemory() {
    ByteBuffer memory = pages(1);
    try (Device device = open();
        DeviceBuffer first = device.allocator().importHost(memory, BufferParams.HOST, null)) {
      assertHal(
          Status.FAILED_PRECONDITION,
          () -> device.allocator().importHost(memory, BufferParams.HOST, null),
          "a part of them is already");
      assertEquals(PAGE, first.size());
    }
  }

  /** The cleaner of the process must not wait for an idle device either. */
  @Test
  void theFreeThreadFreesWriteCombinedMemoryAfterItsLastView() {
    List<String> threads = new CopyOnWriteArrayList<>();
    try (LogLines ignored =
            new LogLines("org.jhal.gpu", line -> threads.add(Thread.currentThread().getName()));
        Device device = open()) {
      sim.fail(HOST_FREE, 1, GpuFault.PLAIN_CODE); // which is logged
      mapAndClose(device);
      SimulatedDevices.collectViews();
    }
    assertEquals(List.of(name + "-0-free"), threads);
    assertEquals(gpu.keepsContexts() ? Map.of("host memory", 1L) : Map.of(), live());
    gpu.reset();
  }

  /** The same if the device, and with it that thread, has ended before. */
  @Test
  void aViewStaysValidAfterTheDeviceIsClosed() {
    closeDeviceBeforeView();
    SimulatedDevices.collectViews();
    assertEquals(Map.of(), live());
  }

  /** A separate method, so that the objects of its variables are garbage when it has returned. */
  private void closeDeviceBeforeView() {
    try (Device device = open()) {
      ByteBuffer view = mapAndClose(device);
      device.close();
      assertTrue(live().containsKey("host memory"), () -> "the view needs it: " + live());
      if (!gpu.keepsContexts()) {
        assertTrue(live().containsKey("context"), () -> "the memory needs it: " + live());
      }
      Reference.reachabilityFence(view);
    }
  }

  /** Returns the view, which keeps its memory until it is collected. */
  private static ByteBuffer mapAndClose(Device device) {
    DeviceBuffer buffer = device.allocate(16, BufferParams.HOST_UPLOAD);
    ByteBuffer view;
    try (DeviceBuffer.Mapping mapping = buffer.map(MapMode.DISCARD_WRITE)) {
      view = mapping.bytes();
      view.putInt(0, 5);
    }
    buffer.close();
    return view;
  }

  @Test
  void freesContinueIfTheDeviceCannotBeMadeCurrent() {
    CountDownLatch followed = new CountDownLatch(1);
    try (Device device = open()) {
      FreeThread frees = frees();
      frees.await();
      awaitBound();
      sim.fail(BIND, 1, GpuFault.PLAIN_CODE);
      frees.free(
          () -> {
            throw new AssertionError("called without a device");
          },
          followed::countDown);
      frees.await();
      assertEquals(0, followed.getCount());
    }
  }

  /** Waits until the threads of an idle device have made all calls that bind them. */
  private void awaitBound() {
    sim.awaitCalls(BIND, 3);
  }

  /** Both are of one GPU, and the runtime unregisters memory only while nothing runs on that. */
  @Test
  void closingADeviceDoesNotWaitForTheHeldWorkOfAnotherOne() throws Exception {
    Device closed = sim.open(name + "://0?queues=1&close-timeout=100ms");
    try (Device other = open();
        DeviceBuffer buffer = other.allocate(PAGE, BufferParams.DEVICE);
        TimelineSemaphore done = other.createSemaphore(0)) {
      long streams = streams();
      sim.simulator().waitForQuiet();
      sim.simulator().pause(0, 0);
      try {
        other.queue(0).fill(Fence.NONE, done.at(1), buffer, 0, PAGE, FillPattern.ZERO);
        other.allocator().importHost(pages(1), BufferParams.HOST, null).close();
        Waits.awaitTrue("the memory to be unregistered", this::unregisters);
        Task<?> close = Task.run("close", closed::close);
        close.join();
        assertEquals(streams, streams(), "streams can be destroyed later only");
        assertEquals(0, done.value(), "the other device's work is held");
      } finally {
        sim.simulator().resume(0, 0);
      }
      awaitReached(done, 1);
      Waits.awaitTrue("the remaining streams to be destroyed", () -> streams() < streams);
    }
    assertEquals(Map.of(), live());
  }

  private long streams() {
    return live().getOrDefault("stream", 0L);
  }

  private boolean unregisters() {
    return sim.simulator().calls().keySet().stream().anyMatch(call -> call.contains("Unregister"));
  }

  /** The runtime keeps the registration until the device ends, and no object owns it. */
  @Test
  void memoryThatCannotBeUnregisteredMayBeImportedAgain() {
    ByteBuffer memory = pages(1);
    try (Device device = open()) {
      awaitBound();
      DeviceBuffer first = device.allocator().importHost(memory, BufferParams.HOST, null);
      sim.fail(BIND, 2, GpuFault.PLAIN_CODE); // after that of close()
      first.close();
      frees().await();
      assertEquals(1, live().get("registration"));
    }
    try (Device device = open()) {
      device.allocator().importHost(memory, BufferParams.HOST, null).close();
    }
    assertEquals(Map.of(), live());
  }

  /** Whichever step fails, threads end, and the context, if any, is released once. */
  @Test
  void closingCompletesAlthoughAStepFails() {
    for (Map.Entry<NativeCall, Set<String>> failing : leftovers().entrySet()) {
      NativeCall call = failing.getKey();
      long uses = Long.MAX_VALUE;
      for (int nth = 1; nth <= uses; nth++) {
        gpu.reset();
        sim.simulator().devices(2);
        Device device = open();
        device.allocate(16, BufferParams.HOST);
        byte[] target = new byte[300_000];
        try (DeviceBuffer buffer = device.allocate(target.length, BufferParams.DEVICE);
            TimelineSemaphore done = device.createSemaphore(0)) {
          device.queue(0).readback(Fence.NONE, done.at(1), buffer, 0, ByteBuffer.wrap(target));
          awaitReached(done, 1);
        }
        long before = sim.calls(call);
        sim.fail(call, nth, GpuFault.PLAIN_CODE);
        device.close();
        Waits.awaitTrue(
            "the threads of the device to end, with use " + nth + " of " + call + " failing",
            () -> !GpuFaultRun.hasThreads(name));
        uses = sim.calls(call) - before;
        String now = "with use " + nth + " of " + call + " failing, of " + uses + ": " + live();
        assertTrue(failing.getValue().containsAll(live().keySet()), now);
        if (!gpu.keepsContexts()) {
          assertFalse(live().containsKey("context"), now);
          assertEquals(1, sim.calls(CONTEXT_RELEASE), now);
        }
      }
    }
    log.assertNoErrors();
    gpu.reset(); // removes the leftovers and the misuse of a call without a device
  }

  @Test
  void failedEnumerationIsRepeated() {
    GpuDriver driver = gpu.driver();
    DeviceUri any = DeviceUri.parse(name);
    sim.fail(DEVICE_MEMORY, 2, GpuFault.PLAIN_CODE);
    HalException failure = assertHal(Status.UNKNOWN, () -> driver.devices(any), "returned 999");
    assertTrue(failure.getMessage().contains(sim.shortName(DEVICE_MEMORY)), failure::getMessage);
    assertEquals(2, driver.devices(any).size());
    assertTrue(driver.probe().detail().contains("with 2 devices"), driver.probe()::detail);
  }

  /** The device reaches both ends of the range, but not the whole range in one copy. */
  @Test
  void copiesARangeThatSpansTwoImports() {
    byte[] bytes = TestData.bytes(4 * PAGE);
    ByteBuffer memory = pages(4).put(0, bytes);
    try (Device device = open();
        DeviceBuffer first = importPage(device, memory, 0);
        DeviceBuffer second = importPage(device, memory, 1);
        DeviceBuffer last = importPage(device, memory, 3);
        DeviceBuffer buffer = device.allocate(4 * PAGE, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      byte[] back = new byte[2 * PAGE];
      device.queue(0).upload(Fence.NONE, done.at(1), memory.slice(0, 2 * PAGE), buffer, 0);
      device.queue(0).upload(done.at(1), done.at(2), memory.slice(PAGE, 3 * PAGE), buffer, PAGE);
      device.queue(0).readback(done.at(2), done.at(3), buffer, 0, ByteBuffer.wrap(back));
      awaitReached(done, 3);
      assertArrayEquals(Arrays.copyOf(bytes, 2 * PAGE), back);
      byte[] rest = new byte[2 * PAGE];
      device.queue(0).readback(done.at(3), done.at(4), buffer, 2 * PAGE, ByteBuffer.wrap(rest));
      awaitReached(done, 4);
      assertArrayEquals(Arrays.copyOfRange(bytes, 2 * PAGE, 4 * PAGE), rest);
      assertEquals(3 * PAGE, first.size() + second.size() + last.size());
    }
  }

  private static DeviceBuffer importPage(Device device, ByteBuffer memory, int page) {
    return device.allocator().importHost(memory.slice(page * PAGE, PAGE), BufferParams.HOST, null);
  }
}
