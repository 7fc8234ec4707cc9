// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.options;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.jhal.DeviceInfo;
import org.jhal.DeviceUri;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rule D3: a device is named by index, uuid or PCI address. */
class DeviceSelectorTest {
  private static final String UUID = "57a8c0de-1111-2222-3333-44445555abcd";

  private static final List<DeviceInfo> DEVICES =
      List.of(
          device(0, "small", "GPU-" + UUID, "0000:03:00.0"),
          device(1, "other", "deadbeef-1111-2222-3333-44445555abce", null),
          device(2, "third", "GPU-0123456789abcdef", "000000AB:c1:00.1"),
          device(3, "odd", "12345678", "0001:03:00.0"));

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource({
    "any, 0",
    "any://, 0",
    "any://?queues=2, 0",
    "any://0, 0",
    "any://2, 2",
    "any://0003, 3",
    "any://GPU-57a8c0de-1111-2222-3333-44445555abcd, 0",
    "any://gpu-57A8C0DE-1111-2222-3333-44445555ABCD?x=y, 0",
    "any://57a8c0de-1111-2222-3333-44445555abcd, 0",
    "any://DEADBEEF-1111-2222-3333-44445555abce, 1",
    "any://0123456789abcdef, 2",
    "any://12345678, 3",
    "any://pci:0000:03:00.0, 0",
    "any://pci:0001:03:00.0, 3",
    "any://PCI:00AB:C1:00.1, 2",
    "any://pci:00000000:03:00.0, 0",
  })
  void findsTheDevice(String uri, int index) {
    assertEquals(DEVICES.get(index), DeviceSelector.select(DeviceUri.parse(uri), DEVICES));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "any://57a8c0de-1111-2222-3333-44445555abce",
    "any://57a8c0de-1111-2222", // only the beginning of a uuid
    "any://MIG-57a8c0de-1111-2222-3333-44445555abcd", // another prefix than the driver's
    "any://GPU-deadbeef-1111-2222-3333-44445555abce", // a prefix that the driver does not write
    "any://pci:0000:04:00.0",
    "any://pci:0000:03:00.1",
    "any://pci:0002:03:00.0",
  })
  void aMissingDeviceIsNotFoundAndTheOthersAreListed(String uri) {
    HalException refused = refused(uri);

    assertEquals(Status.NOT_FOUND, refused.status());
    assertEquals(
        "no device '"
            + uri
            + "'; there are 4 devices of driver 'any': 0 is small, uuid GPU-"
            + UUID
            + ", pci:0000:03:00.0; 1 is other, uuid deadbeef-1111-2222-3333-44445555abce; 2 is"
            + " third, uuid GPU-0123456789abcdef, pci:000000AB:c1:00.1; 3 is odd, uuid 12345678,"
            + " pci:0001:03:00.0",
        refused.getMessage());
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({"any://4, 4", "any://9999999999, 9999999999"})
  void anIndexThatIsTooLargeIsNotFoundWithTheCount(String uri, String index) {
    HalException refused = refused(uri);

    assertEquals(Status.NOT_FOUND, refused.status());
    assertTrue(
        refused
            .getMessage()
            .startsWith(
                "no device '" + uri + "': index " + index + ", but there are 4 devices of driver"),
        refused::getMessage);
  }

  @Test
  void theMessageForOneDeviceUsesTheSingular() {
    HalException refused =
        assertThrows(
            HalException.class,
            () -> DeviceSelector.select(DeviceUri.parse("any://7"), DEVICES.subList(0, 1)));

    assertTrue(
        refused.getMessage().contains("index 7, but there is 1 device of driver 'any': 0 is small"),
        refused::getMessage);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "any://-1",
    "any://first",
    "any://1.0",
    "any://0x1",
    "any://pci:03:00.0",
    "any://pci:0000:03:00",
    "any://pci:0000:03:00.8",
    "any://pci:",
    "any://uuid:57a8c0de",
    "any://57a8c0de/1111",
    "any://GPU-",
    "any://0/1",
  })
  void aMalformedSelectorIsRefusedWithTheLegalForms(String uri) {
    HalException refused = refused(uri);

    assertEquals(Status.INVALID_ARGUMENT, refused.status());
    String start =
        "selector '"
            + uri.substring("any://".length())
            + "' in '"
            + uri
            + "' is neither an index from 0, a uuid nor pci:DOMAIN:BUS:DEVICE.FUNCTION";
    assertTrue(refused.getMessage().startsWith(start), refused::getMessage);
  }

  @Test
  void refusesAnySelectorWithoutDevices() {
    HalException refused =
        assertThrows(
            HalException.class, () -> DeviceSelector.select(DeviceUri.parse("any://1"), List.of()));

    assertEquals(Status.NOT_FOUND, refused.status());
    assertEquals("no device 'any://1': driver 'any' has none", refused.getMessage());
  }

  private static HalException refused(String uri) {
    return assertThrows(
        HalException.class, () -> DeviceSelector.select(DeviceUri.parse(uri), DEVICES));
  }

  private static DeviceInfo device(int index, String name, String uuid, @Nullable String pci) {
    return DeviceInfo.builder("any", index)
        .name(name)
        .uuid(uuid)
        .pciAddress(pci)
        .memoryBytes(1 << 20)
        .maxWorkgroupCount(new Workgroups(8, 8, 8))
        .maxWorkgroupItems(1024)
        .build();
  }
}
