// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jhal.spi.Explainable;
import org.jhal.spi.Explanations;
import org.jhal.spi.OpenOperation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@link DeviceHealth} and {@link DeviceState}, for devices of drivers with their own engine. */
@Timeout(60)
class DeviceHealthTest {
  /** A device that reports what a test gives it. */
  private static final class Fake implements Explainable {
    private final String name;
    private final List<OpenOperation> open = new ArrayList<>();
    private @Nullable HalException lost;
    private @Nullable RuntimeException fault;
    private @Nullable DeviceInfo info;

    Fake(String name) {
      this.name = name;
    }

    void add(long number, Duration age, List<Timepoint> waits) {
      long since = System.nanoTime() - age.toNanos();
      open.add(new OpenOperation(name + "-q0", number, "fill", "PARKED", since, waits, List.of()));
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public @Nullable HalException lostCause() {
      return lost;
    }

    @Override
    public void reportOpen(Consumer<OpenOperation> looker) {
      if (fault != null) {
        throw fault;
      }
      open.forEach(looker);
    }

    @Override
    public @Nullable DeviceInfo info() {
      return info;
    }

    @Override
    public DeviceStatistics statistics() {
      return new DeviceStatistics(
          0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, GraphStatistics.NONE);
    }
  }

  private final List<Fake> devices = new ArrayList<>();
  private final FakeTimelineSemaphore timeline = new FakeTimelineSemaphore("a");

  private Fake device(String name) {
    Fake device = new Fake(name);
    devices.add(device);
    Explanations.register(device);
    return device;
  }

  @AfterEach
  void forget() {
    devices.forEach(Explanations::unregister);
  }

  private static DeviceInfo info() {
    return DeviceInfo.builder("fake", 0)
        .name("Fake")
        .uuid("u")
        .memoryBytes(1_000)
        .maxWorkgroupCount(Workgroups.of(1))
        .maxWorkgroupItems(1)
        .build();
  }

  @Test
  void isHealthyWithoutDevices() {
    DeviceHealth health = DeviceHealth.check(Duration.ZERO);
    assertTrue(health.isHealthy(), health::toString);
    assertEquals(List.of(), Hal.deviceStates());
  }

  @Test
  void reportsTheOldestOperationOfEachDevice() {
    long now = System.nanoTime();
    Fake slow = device("slow");
    slow.add(3, Duration.ofSeconds(10), List.of());
    slow.add(2, Duration.ofSeconds(75), List.of(timeline.at(5)));
    slow.add(1, Duration.ofSeconds(40), List.of());
    device("fast").add(1, Duration.ofSeconds(20), List.of());
    DeviceHealth health = DeviceHealth.check(Duration.ofSeconds(30));
    assertEquals(
        List.of(
            "slow has an operation that has been open for 75 s; the limit is 30 s: slow-q0"
                + " operation 2 (fill, PARKED, waits for a to reach 5, now at 0)"),
        health.problems().stream().map(text -> Fakes.atAge(text, 75, now)).toList());
    assertTrue(DeviceHealth.check(Duration.ofSeconds(90)).isHealthy());
  }

  @Test
  void reportsALostDeviceOnce() {
    Fake device = device("d");
    device.lost = new HalException(Status.UNAVAILABLE, "device d is lost: unplugged");
    device.add(1, Duration.ofHours(1), List.of());
    assertEquals(List.of("d is lost: unplugged"), DeviceHealth.check(Duration.ZERO).problems());
    device.lost = new HalException(Status.UNAVAILABLE, "unplugged");
    assertEquals(List.of("d is lost: unplugged"), DeviceHealth.check(Duration.ZERO).problems());
  }

  @Test
  void reportsOtherDevicesIfOneCannotReport() {
    device("broken").fault = new IllegalStateException("oops");
    Fake good = device("good");
    good.info = info();
    good.add(7, Duration.ofSeconds(5), List.of());
    List<String> problems = DeviceHealth.check(Duration.ofSeconds(2)).problems();
    assertEquals(2, problems.size(), problems::toString);
    assertTrue(
        problems.get(0).endsWith("cannot report its state: java.lang.IllegalStateException: oops"),
        problems::toString);
    assertTrue(problems.get(1).startsWith("good has an operation"), problems::toString);
    List<DeviceState> states = Hal.deviceStates();
    assertEquals(1, states.size(), states::toString);
    assertEquals("good", states.get(0).name());
    assertEquals("good-q0 operation 7 (fill, PARKED)", states.get(0).oldestOperation());
    assertTrue(states.get(0).oldestAge().toSeconds() >= 5, states::toString);
    assertEquals(11, states.get(0).statistics().failed());
  }

  @Test
  void anIdleDeviceHasNoOldestOperation() {
    device("d").info = info();
    DeviceState state = Hal.deviceStates().get(0);
    assertEquals("", state.oldestOperation());
    assertEquals(Duration.ZERO, state.oldestAge());
  }

  @Test
  void shortensAnOperationWithManyWaits() {
    Fake device = device("d");
    device.info = info();
    List<Timepoint> waits = new ArrayList<>();
    for (int i = 1; i <= 100_000; i++) {
      waits.add(timeline.at(i));
    }
    device.add(1, Duration.ofSeconds(5), waits);
    String text = Hal.deviceStates().get(0).oldestOperation();
    assertTrue(text.endsWith(" and 99997 more waits"), text);
    assertTrue(text.length() < 400, text);
  }

  /** The time of the engine's clock may be before the system's by a negative amount. */
  @Test
  void anAgeIsNeverNegative() {
    Fake device = device("d");
    device.info = info();
    device.open.add(
        new OpenOperation(
            "q",
            1,
            "fill",
            "READY",
            System.nanoTime() + TimeUnit.HOURS.toNanos(1),
            List.of(),
            List.of()));
    assertEquals(Duration.ZERO, Hal.deviceStates().get(0).oldestAge());
    assertTrue(DeviceHealth.check(Duration.ZERO).isHealthy());
  }

  @Test
  void rejectsANegativeLimit() {
    HalException thrown =
        assertThrows(HalException.class, () -> DeviceHealth.check(Duration.ofMillis(-1)));
    assertEquals(Status.OUT_OF_RANGE, thrown.status());
  }
}
