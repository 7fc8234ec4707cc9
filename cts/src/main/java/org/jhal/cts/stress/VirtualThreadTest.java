// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.stress;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.jhal.cts.support.TestData.assertBytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceFile;
import org.jhal.DeviceQueue;
import org.jhal.Executable;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HostCall;
import org.jhal.HostMemory;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.TestFolder;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.api.Test;

/**
 * The calls of a program, on virtual threads. Where a virtual thread waits or contends for a
 * monitor, it may continue on another thread of the operating system, but native runtimes only know
 * the latter.
 */
@CtsSuite
class VirtualThreadTest {
  private static final int THREADS = 64;

  /** A body that may throw anything. */
  private interface Body {
    void run() throws Exception;
  }

  private static void onVirtualThreads(int count, Body body) throws Exception {
    ConcurrentLinkedQueue<Throwable> thrown = new ConcurrentLinkedQueue<>();
    List<Thread> threads = new ArrayList<>();
    ThreadFactory factory = Task.virtualThreads();
    for (int i = 0; i < count; i++) {
      Thread thread =
          factory.newThread(
              () -> {
                try {
                  body.run();
                } catch (Throwable t) {
                  thrown.add(t);
                }
              });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join(Waits.LIMIT.toMillis());
      assertEquals(Thread.State.TERMINATED, thread.getState(), () -> thread + " does not end");
    }
    if (!thrown.isEmpty()) {
      throw new AssertionError(thrown.size() + " virtual threads failed", thrown.peek());
    }
  }

  @Test
  @Rule({"Q1", "Q5", "K4"})
  void virtualThreadsSubmitAndAwaitWorkOfEveryKind(Cts cts) throws Exception {
    Device device = cts.device();
    var kernel = cts.kernel(device, "scale_and_offset");
    TestFolder folder = new TestFolder(cts);
    AtomicInteger files = new AtomicInteger();
    onVirtualThreads(
        THREADS,
        () -> {
          int[] data = {1, 2, 3, 4};
          int[] result = new int[4];
          int[] fromFile = new int[4];
          Path path = folder.file("file" + files.incrementAndGet());
          try (TimelineSemaphore timeline = device.createSemaphore(0);
              DeviceBuffer in = device.allocate(16, BufferParams.DEVICE);
              DeviceBuffer out = device.allocate(16, BufferParams.DEVICE);
              DeviceFile file = device.openFile(path, CREATE_NEW, READ, WRITE)) {
            DeviceQueue queue = device.queue(device.queueCount() - 1);
            device.queue(0).upload(Fence.NONE, timeline.at(1), HostMemory.of(data), in, 0);
            queue.dispatch(
                timeline.at(1), timeline.at(2), kernel, Workgroups.of(4), Args.of(in, out, 2, 5));
            queue.readback(timeline.at(2), timeline.at(3), out, 0, HostMemory.of(result));
            DeviceBuffer transientBuffer =
                queue.alloca(timeline.at(3), timeline.at(4), 64, BufferParams.DEVICE);
            queue.fill(timeline.at(4), timeline.at(5), transientBuffer, 0, 64, FillPattern.ZERO);
            queue.dealloca(timeline.at(5), timeline.at(6), transientBuffer);
            queue.hostCall(
                timeline.at(6), timeline.at(7), HostCall.Mode.BLOCKING, context -> result[0]++);
            queue.write(timeline.at(7), timeline.at(8), file, 0, out, 0, 16);
            queue.read(timeline.at(8), timeline.at(9), file, 0, in, 0, 16);
            queue.readback(timeline.at(9), timeline.at(10), in, 0, HostMemory.of(fromFile));
            timeline.await(10, Waits.LIMIT);
          }
          assertEquals("[8, 9, 11, 13]", Arrays.toString(result));
          assertEquals("[7, 9, 11, 13]", Arrays.toString(fromFile));
        });
    assertNull(device.lostCause());
  }

  @Test
  @Rule({"M7", "M4"})
  void virtualThreadsAllocateMapImportAndRecord(Cts cts) throws Exception {
    Device device = cts.device();
    byte[] zeros = new byte[64];
    onVirtualThreads(
        THREADS,
        () -> {
          try (DeviceBuffer host = device.allocate(64, BufferParams.HOST);
              CommandBuffer commands = device.createCommandBuffer(CommandBuffer.Mode.REUSABLE);
              TimelineSemaphore timeline = device.createSemaphore(0)) {
            commands.fill(host, 0, 64, FillPattern.ZERO);
            commands.end();
            device.queue(0).execute(Fence.NONE, timeline.at(1), commands);
            timeline.await(1, Waits.LIMIT);
            try (DeviceBuffer.Mapping mapping = host.map(DeviceBuffer.MapMode.READ)) {
              byte[] seen = new byte[64];
              mapping.bytes().duplicate().get(seen);
              assertBytes(zeros, seen, "the mapped buffer");
            }
          }
        });
    if (device.capabilities().contains(Capability.HOST_IMPORT)) {
      onVirtualThreads(
          THREADS,
          () ->
              device
                  .allocator()
                  .importHost(ByteBuffer.allocateDirect(4096), BufferParams.HOST, () -> {})
                  .close());
    }
    cts.awaitIdle();
    assertNull(device.lostCause());
  }

  @Test
  @Rule("Q5")
  void aVirtualThreadSignalsParkedWork(Cts cts) throws Exception {
    Device device = cts.device();
    TimelineSemaphore gate = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(64);
    for (int i = 1; i <= THREADS; i++) {
      device
          .queue(i % device.queueCount())
          .fill(
              Fence.of(gate.at(i), done.at(i - 1)), done.at(i), buffer, 0, 64, FillPattern.of32(i));
    }
    onVirtualThreads(
        1,
        () -> {
          for (int i = 1; i <= THREADS; i++) {
            gate.signal(i);
          }
        });
    Waits.awaitReached(done, THREADS);
    assertNull(device.lostCause());
  }

  @Test
  @Rule({"Q8", "D3"})
  @FreshDevice
  void virtualThreadsOpenLoadAndCloseDevices(Cts cts) throws Exception {
    onVirtualThreads(
        4,
        () -> {
          Device device = cts.open();
          Executable kernels = device.loadExecutable(cts.backend().kernels().get(0));
          TimelineSemaphore timeline = device.createSemaphore(0);
          DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE);
          device.queue(0).fill(Fence.NONE, timeline.at(1), buffer, 0, 64, FillPattern.ZERO);
          timeline.await(1, Waits.LIMIT);
          kernels.close();
          buffer.close();
          device.close();
          timeline.close();
        });
  }
}
