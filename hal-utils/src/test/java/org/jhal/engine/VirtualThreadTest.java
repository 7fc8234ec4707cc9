package org.jhal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jhal.BufferParams;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.engine.queue.Threads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** No native call is made on a virtual thread, since that may change its carrier thread. */
@EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "virtual threads came with Java 21")
class VirtualThreadTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);

  private final InstantBackend backend = new InstantBackend();

  /**
   * {@code Thread.ofVirtual().factory()} by reflection, since the tests are compiled for Java 17.
   */
  private static ThreadFactory virtualThreads() throws ReflectiveOperationException {
    Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
    return (ThreadFactory)
        Class.forName("java.lang.Thread$Builder").getMethod("factory").invoke(builder);
  }

  /** A step of a test that may be interrupted. */
  private interface Step {
    void run() throws Exception;
  }

  private static void onVirtualThreads(int count, Step step) throws Exception {
    ConcurrentLinkedQueue<Throwable> thrown = new ConcurrentLinkedQueue<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Thread thread =
          virtualThreads()
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
    for (Thread thread : threads) {
      thread.join(DEADLINE.toMillis());
      assertEquals(Thread.State.TERMINATED, thread.getState(), () -> thread + " does not end");
    }
    assertEquals(List.of(), List.copyOf(thrown));
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
  void memoryComesAndGoesWithoutBinding() throws Exception {
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

  /** More closes than there are calls at a time, each waiting for a host call of the program. */
  @Test
  void closesThatWaitHoldUpNoOtherVirtualThread() throws Exception {
    int count = 4 * Runtime.getRuntime().availableProcessors() + 1;
    CountDownLatch go = new CountDownLatch(1);
    List<EngineDevice<Object>> devices = new ArrayList<>();
    List<Thread> closers = new ArrayList<>();
    try (EngineDevice<Object> other = backend.open(1)) {
      for (int i = 0; i < count; i++) {
        EngineDevice<Object> device = new InstantBackend().open(1, Duration.ofMinutes(5));
        devices.add(device);
        CountDownLatch runs = new CountDownLatch(1);
        device
            .queue(0)
            .hostCall(
                Fence.NONE,
                Fence.NONE,
                HostCall.Mode.BLOCKING,
                context -> {
                  runs.countDown();
                  go.await();
                });
        assertTrue(runs.await(DEADLINE.toSeconds(), TimeUnit.SECONDS), "the host call begins");
        Thread closer = virtualThreads().newThread(device::close);
        closers.add(closer);
        closer.start();
      }
      try {
        for (EngineDevice<Object> device : devices) {
          Threads.await("all closes to have begun", device::isClosed);
        }
        onVirtualThreads(1, () -> other.allocate(64, BufferParams.DEVICE).close());
        assertTrue(closers.stream().allMatch(Thread::isAlive), "the closes wait");
      } finally {
        go.countDown();
      }
      for (Thread closer : closers) {
        closer.join(DEADLINE.toMillis());
        assertFalse(closer.isAlive(), () -> closer + " does not end");
      }
    }
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
