// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** The properties of a device, and the defaults of those that a driver does not set. */
class DeviceInfoTest {
  private static DeviceInfo.Builder small() {
    return DeviceInfo.builder("toy", 3)
        .name("Toy")
        .uuid("u")
        .memoryBytes(1000)
        .maxWorkgroupCount(new Workgroups(7, 8, 9))
        .maxWorkgroupItems(64);
  }

  @Test
  void derivesPropertiesThatAreNotSet() {
    DeviceInfo info = small().build();
    assertEquals("toy://3", info.uri());
    assertEquals("toy://3 (Toy)", info.toString());
    assertNull(info.pciAddress());
    assertEquals(1000, info.maxAllocationBytes());
    assertEquals(new Workgroups(64, 64, 64), info.maxWorkgroupSize());
    assertEquals(Map.of(), info.properties());
    assertEquals(Integer.MAX_VALUE, info.maxQueues());
    assertTrue(info.reportsKernelFailures());
  }

  @Test
  void limitsAPartToTheWhole() {
    DeviceInfo info =
        small().maxAllocationBytes(1001).maxWorkgroupSize(new Workgroups(128, 32, 1)).build();
    assertEquals(1000, info.maxAllocationBytes());
    assertEquals(new Workgroups(64, 32, 1), info.maxWorkgroupSize());
    assertEquals(500, small().maxAllocationBytes(500).build().maxAllocationBytes());
    assertEquals(100, info.toBuilder().memoryBytes(100).build().maxAllocationBytes());
  }

  @Test
  void namesAMissingProperty() {
    assertEquals("name", missing(DeviceInfo.builder("toy", 0)));
    assertEquals("uuid", missing(DeviceInfo.builder("toy", 0).name("Toy")));
    DeviceInfo.Builder unlimited =
        DeviceInfo.builder("toy", 0).name("Toy").uuid("u").memoryBytes(0);
    assertEquals("maxWorkgroupCount", missing(unlimited));
  }

  private static String missing(DeviceInfo.Builder builder) {
    return String.valueOf(assertThrows(NullPointerException.class, builder::build).getMessage());
  }

  @Test
  void refusesNumbersOutOfRange() {
    refused("memoryBytes -1: needs at least 0", builder -> builder.memoryBytes(-1));
    refused("maxAllocationBytes -5: needs at least 0", builder -> builder.maxAllocationBytes(-5));
    refused("maxWorkgroupItems 0: needs at least 1", builder -> builder.maxWorkgroupItems(0));
    refused("maxSharedMemory -1: needs at least 0", builder -> builder.maxSharedMemory(-1));
    refused("maxArgumentBytes -1: needs at least 0", builder -> builder.maxArgumentBytes(-1));
    refused("maxQueues 0: needs at least 1", builder -> builder.maxQueues(0));
    refused(
        "maxWorkgroupSize 4,0,4: needs at least 1 along each axis",
        builder -> builder.maxWorkgroupSize(new Workgroups(4, 0, 4)));
    assertEquals(
        "index -1: needs at least 0",
        assertThrows(HalException.class, () -> DeviceInfo.builder("toy", -1)).getMessage());
  }

  private static void refused(String message, UnaryOperator<DeviceInfo.Builder> change) {
    HalException thrown = assertThrows(HalException.class, () -> change.apply(small()).build());
    assertEquals(Status.OUT_OF_RANGE, thrown.status());
    assertEquals(message, thrown.getMessage());
  }

  @Test
  void aCopyIsEqualUntilAnythingIsChanged() {
    DeviceInfo info = small().properties(Map.of("colour", "red")).build();
    assertEquals(info, info.toBuilder().build());
    assertEquals(info.hashCode(), info.toBuilder().build().hashCode());
    List<UnaryOperator<DeviceInfo.Builder>> changes =
        List.of(
            builder -> builder.name("Other"),
            builder -> builder.uuid("v"),
            builder -> builder.pciAddress("0000:03:00.0"),
            builder -> builder.memoryBytes(2000),
            builder -> builder.maxAllocationBytes(500),
            builder -> builder.maxWorkgroupCount(new Workgroups(1, 1, 1)),
            builder -> builder.maxWorkgroupItems(128),
            builder -> builder.maxWorkgroupSize(new Workgroups(1, 2, 3)),
            builder -> builder.maxSharedMemory(49152),
            builder -> builder.maxArgumentBytes(128),
            builder -> builder.maxQueues(1),
            builder -> builder.reportsKernelFailures(false),
            builder -> builder.computesOnHost(true),
            builder -> builder.properties(Map.of()));
    for (UnaryOperator<DeviceInfo.Builder> change : changes) {
      DeviceInfo changed = change.apply(info.toBuilder()).build();
      assertNotEquals(info, changed);
      assertEquals(changed, changed.toBuilder().build());
    }
  }

  @Test
  void theStableUriNamesTheUuidAndParses() {
    DeviceInfo info = small().build();
    DeviceUri uri = info.stableUri(Map.of("devices", "2"));
    assertEquals("toy://u?devices=2", uri.toString());
    assertEquals(uri, DeviceUri.parse(uri.toString()));
    assertEquals("toy://u", info.stableUri(Map.of()).toString());
  }

  @Test
  void copiesTheGivenMap() {
    Map<String, String> given = new HashMap<>(Map.of("colour", "red"));
    DeviceInfo info = small().properties(given).build();
    given.put("colour", "blue");
    assertEquals(Map.of("colour", "red"), info.properties());
  }
}
