// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
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

/**
 * The states of open devices of the engine, in this process and through JMX; and their health. All
 * of it is about the process, in which the suite may keep devices open. So these tests use one that
 * no other test opens.
 */
@Timeout(60)
class DeviceStateTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String NAME = "mock-7";

  private final MockDriver driver = new MockDriver("mock");

  private Device open(String options) {
    return driver.open(DeviceUri.parse("mock://7?devices=8" + options));
  }

  private static List<DeviceState> states() {
    return Hal.deviceStates().stream().filter(state -> state.name().equals(NAME)).toList();
  }

  private static DeviceState state() {
    List<DeviceState> states = states();
    assertEquals(1, states.size(), states::toString);
    return states.get(0);
  }

  private static List<String> problems(Duration limit) {
    return DeviceHealth.check(limit).problems().stream()
        .filter(problem -> problem.startsWith(NAME))
        .toList();
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
    try (Device device = open("&memory=1m");
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
    assertEquals(List.of(), states());
  }

  @Test
  void reportsAnOperationThatWaitsForAValueThatIsNotSignaled() throws Exception {
    try (Device device = open("&queues=2");
        TimelineSemaphore data = device.createSemaphore(0);
        TimelineSemaphore done = device.createSemaphore(0)) {
      device.queue(1).barrier(data.at(2), done.at(1));
      for (int i = 0; i < 1_000; i++) {
        device.queue(1).barrier(done.at(1), Fence.NONE);
      }
      String waits =
          "mock-7-q1 operation 1 (barrier, PARKED, waits for " + data + " to reach 2, now at 0)";
      // The clock of operations advances about once a second, and may stand still for a while.
      awaitTrue(
          "the first operation to be the oldest", () -> state().oldestOperation().equals(waits));
      awaitTrue("an operation to become old", () -> !problems(Duration.ofMillis(1)).isEmpty());
      assertFalse(DeviceHealth.check(Duration.ofMillis(1)).isHealthy());
      List<String> problems = problems(Duration.ofMillis(1));
      assertEquals(1, problems.size(), problems::toString);
      assertTrue(problems.get(0).startsWith("mock-7 has an operation"), problems::toString);
      assertTrue(problems.get(0).endsWith(": " + waits), problems::toString);
      assertEquals(List.of(), problems(Duration.ofHours(1)));
      data.signal(2);
      awaitTrue("the operations to retire", () -> state().statistics().openOperations() == 0);
      assertEquals("", state().oldestOperation());
      assertEquals(List.of(), problems(Duration.ZERO));
    }
  }

  @Test
  void reportsALostDevice() {
    try (Device device = open("")) {
      MockControls.of(device).lose(new HalException(Status.UNAVAILABLE, "unplugged"));
      assertEquals(List.of("mock-7 is lost: unplugged"), problems(Duration.ofHours(1)));
      HalException cause = Objects.requireNonNull(state().lostCause());
      assertEquals(Status.UNAVAILABLE, cause.status());
    }
  }

  /** Whether a thread may still remove the bean because the devices of other tests were closed. */
  private static boolean isBeanChanging() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().equals("jhal-jmx"));
  }

  @Test
  void reportsTheSameThroughJmx() throws Exception {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    ObjectName name = new ObjectName("org.jhal:type=Hal");
    try (Device device = open("&memory=1m");
        TimelineSemaphore data = device.createSemaphore(0);
        DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE)) {
      device.queue(0).fill(data.at(1), Fence.NONE, buffer, 0, 64, FillPattern.ZERO);
      awaitTrue("the bean", () -> server.isRegistered(name) && !isBeanChanging());
      HalMXBean proxy = JMX.newMXBeanProxy(server, name, HalMXBean.class);
      HalMXBean.DeviceBean bean =
          proxy.getDevices().stream()
              .filter(one -> one.getName().equals(NAME))
              .findFirst()
              .orElseThrow();
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
      assertTrue(bean.getOldestOperation().startsWith("mock-7-q0 operation 1 (fill, PARKED"));
      assertTrue(bean.getOldestAgeMillis() < TimeUnit.MINUTES.toMillis(1));
      // A client without JHAL sees the same.
      CompositeData[] items = (CompositeData[]) server.getAttribute(name, "Devices");
      CompositeData own =
          Stream.of(items).filter(item -> NAME.equals(item.get("name"))).findFirst().orElseThrow();
      assertEquals(64L, own.get("memoryBytes"));
      data.signal(1);
    }
    awaitTrue(
        "the bean to go, unless other devices are open",
        () -> !server.isRegistered(name) || !Hal.deviceStates().isEmpty());
  }
}
