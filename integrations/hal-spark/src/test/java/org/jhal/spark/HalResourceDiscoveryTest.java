// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import static org.jhal.spark.Tasks.RESOURCE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.apache.spark.SparkConf;
import org.apache.spark.resource.ResourceID;
import org.apache.spark.resource.ResourceInformation;
import org.apache.spark.resource.ResourceRequest;
import org.jhal.Device;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.Status;
import org.junit.jupiter.api.Test;

/** The devices of a machine that the discovery reports to Spark. */
class HalResourceDiscoveryTest {
  private static Optional<ResourceInformation> discover(
      String resource, int amount, SparkConf conf) {
    return new HalResourceDiscovery()
        .discoverResource(
            new ResourceRequest(
                new ResourceID("spark.worker", resource),
                amount,
                Optional.empty(),
                Optional.empty()),
            conf);
  }

  private static SparkConf conf(String drivers) {
    return new SparkConf(false)
        .set("spark.jhal.resource", RESOURCE)
        .set("spark.jhal.drivers", drivers);
  }

  private static HalException refused(Status status, int amount, SparkConf conf) {
    HalException refused = assertThrows(HalException.class, () -> discover(RESOURCE, amount, conf));
    assertEquals(status, refused.status(), refused::toString);
    return refused;
  }

  @Test
  void anAddressOpensItsDeviceInAnyProcess() {
    SparkConf conf = conf("mock://?devices=3&delay=1ms");
    ResourceInformation found = discover(RESOURCE, 2, conf).orElseThrow();
    assertEquals(RESOURCE, found.name());
    assertEquals(2, found.addresses().length);
    for (int i = 0; i < 2; i++) {
      String address = found.addresses()[i];
      assertTrue(address.matches("mock://[0-9a-f-]{36}\\?devices=3&delay=1ms"), address);
      try (Device device = Hal.openDevice(address)) {
        assertEquals(i, device.info().index());
      }
    }
    assertArrayEquals(found.addresses(), discover(RESOURCE, 2, conf).orElseThrow().addresses());
    assertEquals(0, discover(RESOURCE, 0, conf).orElseThrow().addresses().length);
  }

  @Test
  void ignoresOtherResources() {
    assertEquals(Optional.empty(), discover("fpga", 1, conf("mock")));
    assertEquals(Optional.empty(), discover(RESOURCE, 1, new SparkConf(false)));
    assertEquals(
        1,
        discover("gpu", 1, new SparkConf(false).set("spark.jhal.drivers", "mock"))
            .orElseThrow()
            .addresses()
            .length);
  }

  @Test
  void explainsTooFewDevices() {
    HalException few = refused(Status.NOT_FOUND, 3, conf("mock://?devices=2"));
    assertTrue(
        few.getMessage().startsWith("resource 'accelerator': 3 devices are requested, but 2 were"),
        few::toString);
    assertTrue(few.getMessage().contains("spark.jhal.drivers"), few::toString);
    // The mock computes on the host, and no other driver is here.
    HalException none = refused(Status.NOT_FOUND, 1, conf(""));
    assertTrue(none.getMessage().contains("1 devices are requested, but 0 were"), none::toString);
  }

  @Test
  void namesAWrongDriver() {
    assertTrue(
        refused(Status.NOT_FOUND, 1, conf("nosuch")).getMessage().contains("no driver 'nosuch'"));
    assertTrue(
        refused(Status.INVALID_ARGUMENT, 1, conf("mock?devices=2"))
            .getMessage()
            .contains("malformed device URI 'mock?devices=2'"));
    assertTrue(
        refused(Status.INVALID_ARGUMENT, 1, conf("mock://0"))
            .getMessage()
            .contains("names a device"));
  }
}
