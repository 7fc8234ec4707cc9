// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceHealth;
import org.jhal.DeviceState;
import org.jhal.DeviceUri;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.HalMXBean;
import org.jhal.HostMemory;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The states of open devices of the engine, in this process and through JMX; and their health. */
@Timeout(60)
class DeviceStateTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final MockDriver driver = new MockDriver("mock");

  private Device open(String uri) {
    return driver.open(DeviceUri.parse(uri));
  }

  private static DeviceState state() {
    List<DeviceState> states = Hal.deviceStates();
    assertEquals(1, states.size(), states::toString);
    return states.get(0);
  }

  private static void awaitTrue(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() - deadline < 0, () -> "waited 30 s for " + what);
      Thread.yield();
    }
  }

  @Test
  void reportsMemoryAndCountsOfAnOpenDevice() throws Exception {
    try (Device device = open("mock://?memory=1m");
        TimelineSemaphore done = device.createSemaphore(0);
        TimelineSemaphore gone = device.createSemaphore(0);
        TimelineSemaphore victim = device.createSemaphore(0);
        DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE)) {
      device.queue(0).fill(Fence.NONE, done.at(1), buffer, 0, 64, FillPattern.ZERO);
      device.queue(0).upload(done.at(1), done.at(2), HostMemory.of(new byte[16]), buffer, 0);
      device.queue(0).upload(done.at(2), done.at(3), HostMemory.of(new byte[8]), buffer, 0);
      device.queue(0).readback(done.at(3), done.at(4), buffer, 0, HostMemory.of(new byte[8]));
      done.await(4, PATIENCE);
      gone.fail(new HalException(Status.DATA_LOSS, "gone"));
      device.queue(0).barrier(gone.at(1), victim.at(1));
      device.queue(0).barrier(victim.at(1), Fence.NONE);
      awaitTrue("six operations to retire", () -> state().statistics().retired() == 6);
      DeviceState state = state();
      assertEquals("mock-0", state.name());
      assertEquals("mock", state.info().driver());
      assertEquals(1 << 20, state.info().memoryBytes());
      assertEquals(64, state.statistics().bytes());
      assertEquals(24, state.statistics().uploadedBytes());
      assertEquals(8, state.statistics().readbackBytes());
      assertEquals(6, state.statistics().enqueued());
      assertEquals(2, state.statistics().failed());
      assertNull(state.lostCause());
      assertEquals("", state.oldestOperation());
    }
    assertEquals(List.of(), Hal.deviceStates());
  }

  @Test
  void reportsAnOperationThatWaitsForAValueThatIsNotSignaled() throws Exception {
    try (Device device = open("mock://?queues=2");
        TimelineSemaphore data = device.createSemaphore(0);
        TimelineSemaphore done = device.createSemaphore(0)) {
      device.queue(1).barrier(data.at(2), done.at(1));
      for (int i = 0; i < 1_000; i++) {
        device.queue(1).barrier(done.at(1), Fence.NONE);
      }
      String waits =
          "mock-0-q1 operation 1 (barrier, PARKED, waits for " + data + " to reach 2, now at 0)";
      // The clock of operations advances about once a second, and may stand still for a while.
      awaitTrue(
          "the first operation to be the oldest", () -> state().oldestOperation().equals(waits));
      awaitTrue(
          "an operation to become old",
          () -> !DeviceHealth.check(Duration.ofMillis(1)).isHealthy());
      List<String> problems = DeviceHealth.check(Duration.ofMillis(1)).problems();
      assertEquals(1, problems.size(), problems::toString);
      assertTrue(problems.get(0).startsWith("mock-0 has an operation"), problems::toString);
      assertTrue(problems.get(0).endsWith(": " + waits), problems::toString);
      assertTrue(DeviceHealth.check(Duration.ofHours(1)).isHealthy());
      data.signal(2);
      awaitTrue("the operations to retire", () -> state().statistics().openOperations() == 0);
      assertEquals("", state().oldestOperation());
      assertTrue(DeviceHealth.check(Duration.ZERO).isHealthy());
    }
  }

  @Test
  void reportsALostDevice() {
    try (Device device = open("mock")) {
      MockControls.of(device).lose(new HalException(Status.UNAVAILABLE, "unplugged"));
      assertEquals(
          List.of("mock-0 is lost: unplugged"), DeviceHealth.check(Duration.ofHours(1)).problems());
      HalException cause = Objects.requireNonNull(state().lostCause());
      assertEquals(Status.UNAVAILABLE, cause.status());
    }
  }

  @Test
  void reportsTheSameThroughJmx() throws Exception {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    ObjectName name = new ObjectName("org.jhal:type=Hal");
    try (Device device = open("mock://?memory=1m");
        TimelineSemaphore data = device.createSemaphore(0);
        DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE)) {
      device.queue(0).fill(data.at(1), Fence.NONE, buffer, 0, 64, FillPattern.ZERO);
      awaitTrue("the bean", () -> server.isRegistered(name));
      HalMXBean.DeviceBean bean =
          JMX.newMXBeanProxy(server, name, HalMXBean.class).getDevices().get(0);
      assertEquals("mock-0", bean.getName());
      assertEquals("mock", bean.getDriver());
      assertNull(bean.getLostCause());
      assertEquals(64, bean.getMemoryBytes());
      assertEquals(1 << 20, bean.getMemoryLimitBytes());
      assertEquals(2, bean.getLiveResources());
      assertEquals(1, bean.getOpenOperations());
      assertEquals(1, bean.getParkedOperations());
      assertEquals(1, bean.getEnqueuedCount());
      assertEquals(0, bean.getRetiredCount());
      assertEquals(0, bean.getFailedCount());
      assertEquals(0, bean.getUploadedBytes());
      assertEquals(0, bean.getReadbackBytes());
      assertTrue(bean.getOldestOperation().startsWith("mock-0-q0 operation 1 (fill, PARKED"));
      assertTrue(bean.getOldestAgeMillis() < TimeUnit.MINUTES.toMillis(1));
      // A client without JHAL sees the same.
      CompositeData[] items = (CompositeData[]) server.getAttribute(name, "Devices");
      assertEquals(64L, items[0].get("memoryBytes"));
      data.signal(1);
    }
    awaitTrue("the bean to go", () -> !server.isRegistered(name));
  }
}
