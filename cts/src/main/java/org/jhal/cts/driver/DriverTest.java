// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.driver;

import static org.jhal.cts.support.TestData.assertHal;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceInfo;
import org.jhal.DeviceUri;
import org.jhal.Driver;
import org.jhal.DriverRegistry;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.Setting;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.api.Test;

/** How a driver lists, names and opens its devices (rules D1 to D5). */
@CtsSuite
class DriverTest {
  private static DeviceUri base(Cts cts) {
    return DeviceUri.parse(cts.uri());
  }

  private static Driver driver(Cts cts) {
    return DriverRegistry.load().driver(base(cts).driver());
  }

  private static String select(Cts cts, String selector) {
    return new DeviceUri(base(cts).driver(), selector, base(cts).options()).toString();
  }

  private static String withOption(Cts cts, String name, String value) {
    Map<String, String> options = new LinkedHashMap<>(base(cts).options());
    options.put(name, value);
    return new DeviceUri(base(cts).driver(), base(cts).selector(), options).toString();
  }

  private static String without(Cts cts, String name) {
    Map<String, String> options = new LinkedHashMap<>(base(cts).options());
    options.remove(name);
    return new DeviceUri(base(cts).driver(), base(cts).selector(), options).toString();
  }

  private static void assertOpens(Cts cts, String uri, DeviceInfo info) {
    try (Device device = cts.backend().open(uri);
        TimelineSemaphore done = device.createSemaphore(0)) {
      assertEquals(info.uuid(), device.info().uuid(), () -> "device of " + uri);
      assertEquals(info.index(), device.info().index(), () -> "device of " + uri);
      assertTrue(device.queueCount() >= 1);
      device.queue(0).barrier(Fence.NONE, done.at(1));
      Waits.awaitReached(done, 1);
    }
  }

  @Test
  @Rule("D1")
  void probeReportsThatTheDriverIsUsable(Cts cts) {
    Driver.Availability verdict = driver(cts).probe();
    assertTrue(verdict.isAvailable(), verdict::detail);
    assertFalse(verdict.detail().isBlank(), "probe() gives no detail");
    assertEquals(base(cts).driver(), driver(cts).name());
  }

  @Test
  @Rule("D1")
  void listingDriversLoadsNoNativeLibrary(Cts cts) throws Exception {
    assertEquals(List.of(), NativeLibraries.loadedByListing(base(cts).driver()));
  }

  @Test
  @Rule("D3")
  void everyDeviceOpensByIndex(Cts cts) {
    List<DeviceInfo> devices = driver(cts).devices(base(cts));
    assertFalse(devices.isEmpty(), "a usable driver without devices");
    for (int i = 0; i < devices.size(); i++) {
      assertEquals(i, devices.get(i).index());
      assertEquals(base(cts).driver(), devices.get(i).driver());
      assertOpens(cts, select(cts, String.valueOf(i)), devices.get(i));
    }
    assertOpens(cts, select(cts, ""), devices.get(0));
  }

  @Test
  @Rule("D3")
  void everyDeviceOpensByUuid(Cts cts) {
    List<DeviceInfo> devices = driver(cts).devices(base(cts));
    assertEquals(
        devices.size(), devices.stream().map(DeviceInfo::uuid).distinct().count(), "same uuids");
    for (DeviceInfo info : devices) {
      assertOpens(cts, select(cts, info.uuid().toUpperCase(Locale.ROOT)), info);
      assertOpens(cts, select(cts, info.uuid().toLowerCase(Locale.ROOT)), info);
    }
  }

  @Test
  @Rule({"D2", "D3"})
  void partOfAUuidSelectsNothing(Cts cts) {
    for (DeviceInfo info : driver(cts).devices(base(cts))) {
      String uuid = info.uuid();
      int middle = uuid.length() / 2;
      for (String part :
          List.of(
              uuid.substring(0, uuid.length() - 1),
              uuid.substring(0, middle),
              uuid.substring(middle))) {
        String uri = select(cts, part);
        HalException refused =
            assertThrows(HalException.class, () -> cts.closing(cts.backend().open(uri)), uri);
        // A part of a UUID may itself look like a UUID, depending on the driver's format.
        assertTrue(
            Set.of(Status.NOT_FOUND, Status.INVALID_ARGUMENT).contains(refused.status()),
            refused::toString);
      }
    }
  }

  @Test
  @Rule("D3")
  void everyDeviceWithAPciAddressOpensByIt(Cts cts) {
    for (DeviceInfo info : driver(cts).devices(base(cts))) {
      if (info.pciAddress() != null) {
        assertOpens(cts, select(cts, "pci:" + info.pciAddress()), info);
      }
    }
    String absent = select(cts, "pci:ffff:ff:1f.7");
    assertHal(Status.NOT_FOUND, () -> cts.backend().open(absent), "ffff:ff:1f.7");
  }

  @Test
  @Rule("D2")
  void anUnknownSelectorReportsTheExistingDevices(Cts cts) {
    DeviceInfo first = driver(cts).devices(base(cts)).get(0);
    String uri = select(cts, "00000000-0000-0000-0000-000000000000");
    assertHal(
        Status.NOT_FOUND,
        () -> cts.backend().open(uri),
        "00000000-0000-0000-0000-000000000000",
        first.name(),
        first.uuid());
    assertHal(
        Status.NOT_FOUND, () -> cts.backend().open(select(cts, "4711")), "4711", first.uuid());
    assertHal(
        Status.INVALID_ARGUMENT, () -> cts.backend().open(select(cts, "the best one")), "the best");
    assertHal(
        Status.NOT_FOUND,
        () -> DriverRegistry.load().openDevice("nosuchdriver"),
        "nosuchdriver",
        base(cts).driver());
  }

  @Test
  @Rule("D3")
  void anUnknownOptionIsRejectedWithTheKnownOnes(Cts cts) {
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> cts.backend().open(withOption(cts, "close-timeuot", "1s")),
        "close-timeuot",
        "close-timeout",
        "inflight");
    DeviceUri wrong = DeviceUri.parse(withOption(cts, "nonsense", "1"));
    assertHal(Status.INVALID_ARGUMENT, () -> driver(cts).devices(wrong), "nonsense");
  }

  @Test
  @Rule("D3")
  void aBadOptionValueIsRejectedWithOptionAndValue(Cts cts) {
    for (String value : List.of("soon", "1 hour", "10")) {
      assertHal(
          Status.INVALID_ARGUMENT,
          () -> cts.backend().open(withOption(cts, "close-timeout", value)),
          "close-timeout",
          value);
    }
    assertHal(
        Status.OUT_OF_RANGE,
        () -> cts.backend().open(withOption(cts, "close-timeout", "-1s")),
        "close-timeout",
        "-1s");
    assertHal(
        Status.OUT_OF_RANGE,
        () -> cts.backend().open(withOption(cts, "inflight", "0")),
        "inflight",
        "0");
  }

  @Test
  @Rule("D3")
  void moreQueuesThanMaxQueuesAreRejected(Cts cts) {
    DeviceInfo info = cts.device().info();
    if (info.maxQueues() == Integer.MAX_VALUE) {
      throw Cts.unsupported("the device does not limit its queues");
    }
    String most = String.valueOf(info.maxQueues());
    try (Device device = cts.backend().open(withOption(cts, "queues", most))) {
      assertEquals(info.maxQueues(), device.queueCount());
    }
    String more = String.valueOf(info.maxQueues() + 1);
    assertHal(
        Status.OUT_OF_RANGE,
        () -> cts.closing(cts.backend().open(withOption(cts, "queues", more))),
        "queues",
        more,
        most);
  }

  @Test
  @Rule("D5")
  void settingsReportTheirOrigin(Cts cts) {
    String property = "jhal." + base(cts).driver() + ".inflight";
    String before = System.getProperty(property);
    System.setProperty(property, "33");
    try {
      assertSetting(cts, without(cts, "inflight"), "inflight", "33", "property " + property);
      assertSetting(cts, withOption(cts, "inflight", "44"), "inflight", "44", "uri");
      System.clearProperty(property);
      try (Device device = cts.backend().open(without(cts, "inflight"))) {
        String origin = find(device, "inflight").origin();
        assertTrue(
            origin.equals("default") || origin.startsWith("environment JHAL_"), () -> origin);
      }
    } finally {
      if (before == null) {
        System.clearProperty(property);
      } else {
        System.setProperty(property, before);
      }
    }
    for (Setting setting : cts.device().settings()) {
      assertFalse(setting.description().isBlank(), setting::toString);
      assertFalse(setting.origin().isBlank(), setting::toString);
    }
    for (String option : base(cts).options().keySet()) {
      assertEquals("uri", find(cts.device(), option).origin(), option);
    }
  }

  private static void assertSetting(Cts cts, String uri, String name, String value, String origin) {
    try (Device device = cts.backend().open(uri)) {
      assertEquals(value, find(device, name).value(), () -> name + " of " + uri);
      assertEquals(origin, find(device, name).origin(), () -> name + " of " + uri);
    }
  }

  private static Setting find(Device device, String name) {
    List<Setting> found = new ArrayList<>(device.settings());
    found.removeIf(setting -> !setting.name().equals(name));
    assertEquals(1, found.size(), () -> "settings called " + name + ": " + device.settings());
    return found.get(0);
  }

  @Test
  @Rule("D5")
  void nothingIsPrinted(Cts cts) {
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream capture = new PrintStream(printed, true, StandardCharsets.UTF_8);
    System.setOut(capture);
    System.setErr(capture);
    try (Device device = cts.backend().open(cts.uri());
        TimelineSemaphore done = device.createSemaphore(0);
        DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE)) {
      device.queue(0).fill(Fence.NONE, done.at(1), buffer, 0, 64, FillPattern.ZERO);
      Waits.awaitReached(done, 1);
      TimelineSemaphore failing = cts.semaphore(device, 0);
      device.queue(0).barrier(failing.at(1), done.at(2));
      failing.fail(new HalException(Status.ABORTED, "to see whether that is printed"));
      Waits.awaitFailure(done, 2);
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
    assertEquals("", printed.toString(StandardCharsets.UTF_8));
  }

  @Test
  @Rule("D4")
  void theDriverIsFoundAndCompatible(Cts cts) {
    List<DriverRegistry.Entry> entries = new ArrayList<>(DriverRegistry.load().entries());
    entries.removeIf(entry -> !entry.name().equals(base(cts).driver()));
    assertEquals(1, entries.size(), () -> "drivers of this name: " + entries);
    assertNull(entries.get(0).problem());
    assertFalse(entries.get(0).location().equals("unknown"), entries::toString);
  }

  @Test
  @Rule("D3")
  void openingADeviceTwiceCreatesSeparateDevices(Cts cts) {
    Device first = cts.device();
    Device again = cts.open();
    assertEquals(first.info().uuid(), again.info().uuid());
    DeviceBuffer foreign = cts.buffer(again, 16, BufferParams.DEVICE);
    TimelineSemaphore done = cts.semaphore();
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> first.queue(0).fill(Fence.NONE, done.at(1), foreign, 0, 16, FillPattern.ZERO));
    again.close();
    first.queue(0).barrier(Fence.NONE, done.at(1));
    Waits.awaitReached(done, 1);
    foreign.close();
  }
}
