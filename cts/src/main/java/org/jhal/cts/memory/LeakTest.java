// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.memory;

import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitStatistics;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.function.Predicate;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceBuffer.MapMode;
import org.jhal.DeviceStatistics;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Kernel;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.TestData;
import org.junit.jupiter.api.Test;

/** Objects that are never closed (rule M7). */
@CtsSuite
@FreshDevice
class LeakTest {
  private static void leak(Device device) {
    long others = device.statistics().buffers();
    DeviceBuffer leaked = device.allocate(4_321, BufferParams.DEVICE);
    assertEquals(others + 1, device.statistics().buffers());
    Reference.reachabilityFence(leaked); // else it may have been reclaimed by then
  }

  private static void awaitNoBuffers(Device device) {
    awaitTrue(
        "leaked buffers to be reclaimed",
        () -> {
          System.gc();
          return device.statistics().buffers() == 0;
        });
    assertEquals(0, device.statistics().bytes());
  }

  @Test
  @Rule("M7")
  void aLeakedBufferIsReportedAndReclaimed(Cts cts) {
    Device device = cts.device();
    leak(device);
    awaitNoBuffers(device);
    cts.awaitLog("4321");
  }

  @Test
  @Rule("M7")
  @FreshDevice("leaks=trace")
  void leaksTraceReportsWhereABufferWasCreated(Cts cts) {
    leak(cts.device());
    awaitNoBuffers(cts.device());
    cts.awaitLog("LeakTest.leak");
  }

  @Test
  @Rule({"M7", "Q3"})
  void aLeakedBufferIsKeptUntilItsLastOperation(Cts cts) {
    Device device = cts.device();
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    enqueueAndLeak(cts, go, done);
    for (int i = 0; i < 5; i++) {
      System.gc();
      cts.flush(cts.queue());
    }
    awaitTrue("the buffers of flush() to go", () -> device.statistics().openOperations() == 1);
    assertEquals(1, device.statistics().buffers(), "a buffer that parked work uses");
    go.signal(1);
    awaitReached(done, 1);
    awaitNoBuffers(device);
    cts.awaitLog("512");
  }

  private static void enqueueAndLeak(Cts cts, TimelineSemaphore go, TimelineSemaphore done) {
    DeviceBuffer buffer = cts.device().allocate(512, BufferParams.DEVICE);
    cts.queue().fill(go.at(1), done.at(1), buffer, 0, 512, FillPattern.of8(1));
  }

  @Test
  @Rule("M7")
  void aSliceKeepsItsBufferReachable(Cts cts) {
    useSliceOfADroppedBuffer(cts);
    awaitNoBuffers(cts.device());
    cts.awaitLog("6464");
  }

  private static void useSliceOfADroppedBuffer(Cts cts) {
    DeviceBuffer slice = cts.device().allocate(6_464, BufferParams.DEVICE).slice(16, 16);
    for (int i = 0; i < 3; i++) {
      System.gc();
      cts.flush(cts.queue());
    }
    cts.write(slice, 0, TestData.bytes(16));
    TestData.assertBytes(TestData.bytes(16), cts.read(slice), "a slice of a dropped buffer");
    cts.awaitIdle();
    assertEquals(1, cts.device().statistics().buffers());
    Reference.reachabilityFence(slice);
  }

  @Test
  @Rule({"M1", "M7"})
  void aDeallocatedBufferIsNotReportedAsALeak(Cts cts) {
    TimelineSemaphore timeline = cts.semaphore();
    allocateAndFree(cts, timeline);
    awaitReached(timeline, 3);
    cts.awaitIdle();
    DeviceStatistics statistics = cts.device().statistics();
    assertEquals(0, statistics.buffers(), statistics::toString);
    assertEquals(0, statistics.bytes(), statistics::toString);
    for (int i = 0; i < 5; i++) {
      System.gc();
      cts.flush(cts.queue());
    }
  }

  private static void allocateAndFree(Cts cts, TimelineSemaphore timeline) {
    DeviceBuffer scratch = cts.queue().alloca(Fence.NONE, timeline.at(1), 64, BufferParams.DEVICE);
    cts.queue().fill(timeline.at(1), timeline.at(2), scratch, 0, 64, FillPattern.ZERO);
    cts.queue().dealloca(timeline.at(2), timeline.at(3), scratch);
  }

  /** This includes the memory of buffers that its commands name, even if they were closed. */
  @Test
  @Rule("M7")
  void aForgottenCommandBufferIsReportedAndReclaimed(Cts cts) {
    Device device = cts.device();
    forgetCommandBuffer(cts, CommandBuffer.Mode.REUSABLE, false);
    awaitNoBuffers(device);
    awaitStatistics("the command buffer to go", device, now -> now.commandBuffers() == 0);
    cts.awaitLog("a command buffer of");
  }

  @Test
  @Rule({"M7", "Q3"})
  void aForgottenCommandBufferIsKeptUntilItHasRun(Cts cts) {
    Device device = cts.device();
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    submitAndForget(cts, go, done);
    for (int i = 0; i < 5; i++) {
      System.gc();
      cts.flush(cts.queue());
    }
    go.signal(1);
    awaitReached(done, 1);
    awaitNoBuffers(device);
    awaitStatistics("the command buffer to go", device, now -> now.commandBuffers() == 0);
    cts.awaitLog("a command buffer of");
  }

  private static CommandBuffer forgetCommandBuffer(
      Cts cts, CommandBuffer.Mode mode, boolean isEnded) {
    CommandBuffer commands = cts.device().createCommandBuffer(mode);
    try (DeviceBuffer buffer = cts.device().allocate(64, BufferParams.DEVICE)) {
      commands.fill(buffer, 0, 64, FillPattern.ZERO);
    }
    if (isEnded) {
      commands.end();
    }
    return commands;
  }

  private static void submitAndForget(Cts cts, TimelineSemaphore go, TimelineSemaphore done) {
    CommandBuffer commands = forgetCommandBuffer(cts, CommandBuffer.Mode.ONE_SHOT, true);
    cts.queue().execute(go.at(1), done.at(1), commands);
  }

  /** The buffer is closed, so only the mapping keeps the memory. */
  private static void forgetMapping(Device device) {
    try (DeviceBuffer buffer = device.allocate(5_555, BufferParams.HOST)) {
      buffer.map(1, 4_444, MapMode.READ_WRITE);
    }
  }

  /** Forgets a buffer, a slice of it, and a mapping of the slice. */
  private static void forgetMappingOfASlice(Device device) {
    DeviceBuffer slice = device.allocate(64, BufferParams.HOST).slice(16, 32);
    slice.map(MapMode.READ);
  }

  @Test
  @Rule("M7")
  void aForgottenMappingIsReportedAndReclaimed(Cts cts) {
    forgetMapping(cts.device());
    awaitNoBuffers(cts.device());
    cts.awaitLog("a mapping of 4444 bytes of");
  }

  @Test
  @Rule("M7")
  void aMappingForgottenWithItsBufferIsReportedToo(Cts cts) {
    forgetMappingOfASlice(cts.device());
    awaitNoBuffers(cts.device());
    cts.awaitLog("a mapping of 32 bytes of");
    cts.awaitLog("a buffer of 64 bytes of");
  }

  @Test
  @Rule("M7")
  @FreshDevice("leaks=trace")
  void leaksTraceReportsWhereAMappingWasCreated(Cts cts) {
    forgetMapping(cts.device());
    awaitNoBuffers(cts.device());
    cts.awaitLog("LeakTest.forgetMapping");
  }

  @Test
  @Rule({"M7", "Q8"})
  void aMappingForgottenAfterTheDeviceWasClosedIsReported(Cts cts) {
    mapAndClose(cts.device());
    awaitTrue(
        "the garbage collector",
        () -> {
          System.gc();
          return cts.device().statistics().liveResources() == 0;
        });
    cts.awaitLog("a mapping of 4444 bytes of");
  }

  private static void mapAndClose(Device device) {
    try (DeviceBuffer buffer = device.allocate(5_555, BufferParams.HOST)) {
      DeviceBuffer.Mapping mapping = buffer.map(1, 4_444, MapMode.READ_WRITE);
      device.close();
      Reference.reachabilityFence(mapping);
    }
  }

  /** Data that was written through the view of a forgotten mapping is kept. */
  @Test
  @Rule("M7")
  void writesThroughAForgottenMappingAreKept(Cts cts) {
    DeviceBuffer buffer = cts.buffer(cts.device(), 4_448, BufferParams.HOST);
    cts.write(buffer, 0, TestData.filled(4_448, 9));
    WeakReference<?> mapping = writeAndForget(buffer);
    awaitTrue(
        "the mapping to be collected",
        () -> {
          System.gc();
          return mapping.get() == null;
        });
    cts.awaitLog("a mapping of 4444 bytes of");
    leak(cts.device()); // forgotten objects are reclaimed one after the other
    awaitCollected("the other buffer", cts.device(), now -> now.buffers() == 1);
    cts.awaitLog("4321");
    byte[] expected = TestData.with(TestData.filled(4_448, 9), 2, TestData.bytes(4_444));
    TestData.assertBytes(expected, cts.read(buffer), "the buffer that was mapped");
  }

  private static WeakReference<?> writeAndForget(DeviceBuffer buffer) {
    DeviceBuffer.Mapping mapping = buffer.map(2, 4_444, MapMode.WRITE);
    mapping.bytes().put(TestData.bytes(4_444));
    return new WeakReference<>(mapping);
  }

  @Test
  @Rule("M7")
  void aClosedMappingIsNotReportedAsALeak(Cts cts) {
    for (int i = 0; i < 100; i++) {
      try (DeviceBuffer buffer = cts.device().allocate(64, BufferParams.HOST)) {
        DeviceBuffer.Mapping mapping = buffer.map(MapMode.READ_WRITE);
        mapping.close();
        mapping.close();
      }
    }
    assertEquals(0, cts.device().statistics().buffers());
    for (int i = 0; i < 5; i++) { // an unexpected warning fails the test
      System.gc();
      cts.flush(cts.queue());
    }
  }

  private static String forgetSemaphore(Device device) {
    return device.createSemaphore(0).toString();
  }

  private static void awaitCollected(
      String what, Device device, Predicate<DeviceStatistics> isOver) {
    awaitTrue(
        what + " to be reclaimed",
        () -> {
          System.gc();
          return isOver.test(device.statistics());
        });
  }

  @Test
  @Rule("M7")
  void aForgottenSemaphoreIsReported(Cts cts) {
    Device device = cts.device();
    String name = forgetSemaphore(device);
    awaitCollected("the semaphore", device, now -> now.semaphores() == 0);
    cts.awaitLog(name + " of ");
  }

  @Test
  @Rule("M7")
  void theReportNamesTheLeaksOption(Cts cts) {
    forgetSemaphore(cts.device());
    awaitCollected("the semaphore", cts.device(), now -> now.semaphores() == 0);
    cts.awaitLog("leaks=trace");
  }

  @Test
  @Rule("M7")
  void aForgottenSemaphoreIsKeptUntilWorkHasSignalledIt(Cts cts) {
    Device device = cts.device();
    TimelineSemaphore go = cts.semaphore();
    String name = signalAForgottenSemaphore(cts, go);
    for (int i = 0; i < 5; i++) {
      System.gc();
      cts.flush(cts.queue());
    }
    awaitCollected("the semaphores of flush()", device, now -> now.semaphores() == 2);
    go.signal(1);
    awaitCollected("the semaphore", device, now -> now.semaphores() == 1);
    cts.awaitLog(name + " of ");
  }

  private static String signalAForgottenSemaphore(Cts cts, TimelineSemaphore go) {
    TimelineSemaphore forgotten = cts.device().createSemaphore(0);
    cts.queue().barrier(go.at(1), forgotten.at(1));
    return forgotten.toString();
  }

  private static Kernel kernelOfAForgottenExecutable(Cts cts) {
    return cts.device().loadExecutable(cts.backend().kernels().get(0)).kernel("twice");
  }

  // These return nothing, because a local variable of the caller might keep the object reachable.

  private static void forgetExecutable(Cts cts) {
    kernelOfAForgottenExecutable(cts);
  }

  private static void forgetEmptyCommandBuffer(Device device) {
    device.createCommandBuffer(CommandBuffer.Mode.REUSABLE);
  }

  private static void useKernelOfAForgottenExecutable(Cts cts) {
    Kernel kernel = kernelOfAForgottenExecutable(cts);
    for (int i = 0; i < 3; i++) {
      System.gc();
      cts.flush(cts.queue());
    }
    assertEquals(1, cts.device().statistics().executables());
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer source = cts.buffer(64);
    DeviceBuffer target = cts.buffer(64);
    cts.write(source, 0, new byte[64]);
    cts.queue()
        .dispatch(Fence.NONE, done.at(1), kernel, new Workgroups(1, 1, 1), Args.of(source, target));
    awaitReached(done, 1);
  }

  /** The executable is kept as long as the program can use one of its kernels. */
  @Test
  @Rule("M7")
  void aForgottenExecutableIsReportedAndReclaimed(Cts cts) {
    Device device = cts.device();
    useKernelOfAForgottenExecutable(cts);
    awaitCollected("the executable", device, now -> now.executables() == 0);
    cts.awaitLog("executable");
  }

  @Test
  @Rule("M7")
  @FreshDevice("leaks=trace")
  void leaksTraceReportsWhereASemaphoreWasCreated(Cts cts) {
    forgetSemaphore(cts.device());
    awaitCollected("the semaphore", cts.device(), now -> now.semaphores() == 0);
    cts.awaitLog("LeakTest.forgetSemaphore");
  }

  @Test
  @Rule("M7")
  @FreshDevice("leaks=trace")
  void leaksTraceReportsWhereAnExecutableWasLoaded(Cts cts) {
    forgetExecutable(cts);
    awaitCollected("the executable", cts.device(), now -> now.executables() == 0);
    cts.awaitLog("LeakTest.kernelOfAForgottenExecutable");
  }

  @Test
  @Rule("M7")
  @FreshDevice("leaks=trace")
  void leaksTraceReportsWhereACommandBufferWasCreated(Cts cts) {
    forgetEmptyCommandBuffer(cts.device());
    awaitCollected("the command buffer", cts.device(), now -> now.commandBuffers() == 0);
    cts.awaitLog("LeakTest.forgetEmptyCommandBuffer");
  }

  /** Objects that become unreachable after their device was closed are reported too. */
  @Test
  @Rule({"M7", "Q8"})
  void objectsForgottenAfterTheDeviceWasClosedAreReported(Cts cts) {
    String name = forgetAndClose(cts);
    awaitTrue(
        "the garbage collector",
        () -> {
          System.gc();
          return cts.device().statistics().liveResources() == 0;
        });
    cts.awaitLog(name + " of ");
    cts.awaitLog("executable");
    cts.awaitLog("a command buffer of");
  }

  private static String forgetAndClose(Cts cts) {
    TimelineSemaphore semaphore = cts.device().createSemaphore(0);
    Kernel kernel = kernelOfAForgottenExecutable(cts);
    CommandBuffer commands = cts.device().createCommandBuffer(CommandBuffer.Mode.REUSABLE);
    cts.device().close();
    Reference.reachabilityFence(kernel);
    Reference.reachabilityFence(commands);
    return semaphore.toString();
  }

  @Test
  @Rule("M7")
  void closedObjectsLeaveNoLiveResources(Cts cts) {
    Device device = cts.device();
    for (int i = 0; i < 2_000; i++) {
      try (TimelineSemaphore done = device.createSemaphore(0);
          DeviceBuffer buffer = device.allocate(256, BufferParams.DEVICE)) {
        device.queue(0).fill(Fence.NONE, done.at(1), buffer, 0, 256, FillPattern.ZERO);
      }
    }
    awaitStatistics("everything to be released", device, now -> now.liveResources() == 0);
    assertEquals(0, device.statistics().bytes());
  }
}
