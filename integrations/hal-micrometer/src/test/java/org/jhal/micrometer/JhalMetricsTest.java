// SPDX-License-Identifier: Apache-2.0
package org.jhal.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.mock.MockControls;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The meters of devices of the mock. */
@Timeout(120)
class JhalMetricsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final MeterRegistry registry = new SimpleMeterRegistry();
  private final JhalMetrics metrics = new JhalMetrics(Tags.of("app", "test"));

  @AfterEach
  void close() {
    metrics.close();
  }

  private static void awaitTrue(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() - deadline < 0, () -> "waited 30 s for " + what);
      Thread.yield();
    }
  }

  /** Waits until the only meter with this name and these tags has a value. */
  private void awaitValue(double expected, String name, String... tags) {
    awaitTrue(
        name + List.of(tags) + " to be " + expected + " in " + registry.getMeters(),
        () -> value(name, tags) == expected);
  }

  private double value(String name, String... tags) {
    Meter meter = registry.find(name).tags(tags).meter();
    return meter == null
        ? -1
        : meter instanceof FunctionCounter counter ? counter.count() : ((Gauge) meter).value();
  }

  private Set<String> names() {
    return registry.getMeters().stream()
        .map(meter -> meter.getId().getName())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void reportsMemoryAndOperationsOfADevice() throws Exception {
    try (Device device = Hal.openDevice("mock://?memory=1m");
        TimelineSemaphore data = device.createSemaphore(0);
        TimelineSemaphore done = device.createSemaphore(0);
        TimelineSemaphore gone = device.createSemaphore(0);
        DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE)) {
      metrics.bindTo(registry);
      device.queue(0).upload(Fence.NONE, done.at(1), HostMemory.of(new byte[16]), buffer, 0);
      device.queue(0).readback(done.at(1), done.at(2), buffer, 0, HostMemory.of(new byte[8]));
      gone.fail(new HalException(Status.DATA_LOSS, "gone"));
      device.queue(0).barrier(gone.at(1), Fence.NONE);
      device.queue(0).fill(data.at(1), Fence.NONE, buffer, 0, 64, FillPattern.ZERO);
      done.await(2, PATIENCE);
      awaitValue(1, "jhal.devices", "app", "test");
      String[] tags = {"device", "mock-0", "driver", "mock", "app", "test"};
      awaitValue(3, "jhal.device.operations.retired", tags);
      awaitValue(0, "jhal.device.lost", tags);
      awaitValue(64, "jhal.device.memory.used", tags);
      awaitValue(1 << 20, "jhal.device.memory.limit", tags);
      awaitValue(1, "jhal.device.resources", "kind", "buffer");
      awaitValue(3, "jhal.device.resources", "kind", "semaphore");
      awaitValue(1, "jhal.device.operations.open", "state", "parked");
      awaitValue(0, "jhal.device.operations.open", "state", "issued");
      awaitValue(4, "jhal.device.operations.enqueued", tags);
      awaitValue(1, "jhal.device.operations.failed", tags);
      awaitValue(16, "jhal.device.transfers", "direction", "upload");
      awaitValue(8, "jhal.device.transfers", "direction", "readback");
      awaitTrue(
          "the oldest operation to age", () -> value("jhal.device.operations.oldest", tags) > 0);
      Meter memory = registry.get("jhal.device.memory.used").meter();
      assertEquals("bytes", memory.getId().getBaseUnit());
      assertEquals("The memory of the buffers of the device", memory.getId().getDescription());
      data.signal(1);
      awaitValue(0, "jhal.device.operations.oldest", tags);
    }
  }

  @Test
  void followsDevicesThatAreOpenedAndClosedLater() {
    metrics.bindTo(registry);
    assertEquals(Set.of("jhal.devices"), names());
    try (Device first = Hal.openDevice("mock://?devices=2")) {
      awaitValue(0, "jhal.device.memory.used", "device", "mock-0");
      try (Device second = Hal.openDevice("mock://1?devices=2");
          DeviceBuffer buffer = second.allocate(32, BufferParams.DEVICE)) {
        assertEquals(32, buffer.size());
        awaitValue(32, "jhal.device.memory.used", "device", "mock-1");
        awaitValue(2, "jhal.devices");
      }
      awaitValue(-1, "jhal.device.memory.used", "device", "mock-1");
      awaitValue(0, "jhal.device.memory.used", "device", "mock-0");
      assertNull(first.lostCause());
    }
    awaitTrue("the meters to go", () -> names().equals(Set.of("jhal.devices")));
    try (Device again = Hal.openDevice("mock")) {
      assertNull(again.lostCause());
      awaitValue(0, "jhal.device.memory.used", "device", "mock-0");
    }
  }

  @Test
  void addsUpDevicesOfTheSameName() {
    try (Device first = Hal.openDevice("mock");
        Device second = Hal.openDevice("mock");
        DeviceBuffer small = first.allocate(16, BufferParams.DEVICE);
        DeviceBuffer large = second.allocate(32, BufferParams.DEVICE)) {
      metrics.bindTo(registry);
      awaitValue(small.size() + large.size(), "jhal.device.memory.used");
      awaitValue(first.info().memoryBytes(), "jhal.device.memory.limit");
      awaitValue(2, "jhal.devices");
    }
  }

  @Test
  void reportsALostDevice() {
    try (Device device = Hal.openDevice("mock")) {
      metrics.bindTo(registry);
      awaitValue(0, "jhal.device.lost");
      MockControls.of(device).lose(new HalException(Status.UNAVAILABLE, "unplugged"));
      awaitValue(1, "jhal.device.lost");
    }
  }

  @Test
  void closingRemovesAllMetersAndEndsTheirUpdates() throws Exception {
    MeterRegistry other = new SimpleMeterRegistry();
    JhalMetrics open = new JhalMetrics();
    open.bindTo(other);
    metrics.bindTo(registry);
    try (Device device = Hal.openDevice("mock")) {
      awaitValue(0, "jhal.device.memory.used");
      metrics.close();
      metrics.close();
      assertEquals(List.of(), registry.getMeters());
      assertNull(device.lostCause());
    }
    assertThrows(HalException.class, () -> metrics.bindTo(registry));
    try (Device device = Hal.openDevice("mock://1?devices=2")) {
      assertNull(device.lostCause());
      awaitTrue(
          "the meters of other metrics",
          () -> other.find("jhal.device.lost").tags("device", "mock-1").meter() != null);
      assertEquals(List.of(), registry.getMeters());
    }
    open.close();
  }

  @Test
  void prometheusGetsUnitsAndDescriptions() {
    PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    try (Device device = Hal.openDevice("mock://?memory=1m");
        DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE);
        JhalMetrics plain = new JhalMetrics()) {
      assertEquals(64, buffer.size());
      plain.bindTo(prometheus);
      String text = prometheus.scrape();
      for (String line :
          List.of(
              "# HELP jhal_device_memory_used_bytes The memory of the buffers of the device",
              "jhal_device_memory_used_bytes{device=\"mock-0\",driver=\"mock\"} 64.0",
              "jhal_device_operations_oldest_seconds{device=\"mock-0\",driver=\"mock\"} 0.0",
              "jhal_device_operations_enqueued_total{device=\"mock-0\",driver=\"mock\"} 0.0",
              "# TYPE jhal_device_transfers_bytes_total counter",
              "jhal_devices 1.0")) {
        assertTrue(text.lines().anyMatch(line::equals), () -> "no '" + line + "' in\n" + text);
      }
    }
  }

  /** The page lists each meter, and no other. */
  @Test
  void pageListsTheMeters() throws IOException {
    try (Device device = Hal.openDevice("mock")) {
      assertNull(device.lostCause());
      metrics.bindTo(registry);
      String page = Files.readString(Path.of("../../docs/monitoring.md"));
      Set<String> listed =
          Pattern.compile("(?m)^\\| `(jhal\\.[a-z.]+)` \\|")
              .matcher(page)
              .results()
              .map(match -> match.group(1))
              .collect(Collectors.toCollection(TreeSet::new));
      assertEquals(String.join("\n", names()), String.join("\n", listed));
      for (Meter meter : registry.getMeters()) {
        assertTrue(
            page.contains("`" + meter.getId().getName() + "` | " + kind(meter)),
            () -> meter.getId() + " is a " + kind(meter));
      }
    }
  }

  private static String kind(Meter meter) {
    return meter instanceof FunctionCounter ? "counter" : "gauge";
  }

  @Test
  @SuppressWarnings("NullAway")
  void rejectsNull() {
    assertThrows(NullPointerException.class, () -> metrics.bindTo(null));
    assertThrows(NullPointerException.class, () -> new JhalMetrics(null));
  }
}
