// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.vendor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jhal.Device;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.bench.baselines.FakeCuda;
import org.jhal.bench.baselines.VulkanRaw;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.BenchCase;
import org.jhal.bench.measure.NotAvailableException;
import org.jhal.bench.measure.Rounds;
import org.jhal.bench.measure.Row;
import org.jhal.bench.measure.Shared;
import org.jhal.bench.measure.Spread;
import org.jhal.bench.measure.Subject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The case for Vulkan devices, on the machine's own; skipped where there is none. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class VulkanCasesTest {
  private static final String URI = "vulkan";
  private static final int MAX = 50;

  private static Device open() {
    try {
      return Hal.openDevice(URI);
    } catch (HalException e) {
      assumeTrue(false, "no Vulkan device: " + e.getMessage());
      throw e;
    }
  }

  @Test
  void bothSidesDoTheWork() throws Exception {
    FakeCuda.assumeGcc();
    assumeTrue(
        Files.exists(Path.of("/usr/include/vulkan/vulkan_core.h")),
        "the header vulkan/vulkan_core.h is not installed");
    try (Device device = open();
        Shared shared = new Shared()) {
      Bench bench = new Bench(URI, device, MAX, shared);
      for (BenchCase benchCase : VulkanCases.all()) {
        assertTrue(benchCase.fits(device));
        List<Row> rows = Rounds.measure(benchCase, bench, Duration.ZERO, 2);
        assertFalse(rows.isEmpty());
        for (Row row : rows) {
          check(row);
        }
      }
    }
  }

  private static void check(Row row) {
    assertNull(row.absence());
    assertTrue(Spread.of(row.jhal()).min() > 0, row::toString);
    assertEquals(
        List.of(VulkanCases.PLAIN, VulkanCases.RECORDED),
        row.baselines().stream().map(Row.Baseline::name).toList());
    for (Row.Baseline baseline : row.baselines()) {
      assertNull(baseline.absence(), baseline::toString);
      assertTrue(Spread.of(baseline.samples()).min() > 0, row::toString);
    }
  }

  @Test
  void saysWhatIsMissing(@TempDir Path empty) throws Exception {
    try (VulkanRaw raw = new VulkanRaw(Map.of("PATH", empty.toString()), "0")) {
      Subject subject = raw.subject(VulkanCases.PLAIN, "round-trip", 1);
      NotAvailableException failure = assertThrows(NotAvailableException.class, subject::sample);
      assertEquals("it cannot be compiled: no gcc, cc or clang on the PATH", failure.getMessage());
    }
  }

  @Test
  void casesAreForVulkanDevicesOnly() {
    try (Device device = Hal.openDevice("mock")) {
      for (BenchCase benchCase : VulkanCases.all()) {
        assertFalse(benchCase.fits(device), benchCase.name());
      }
    }
  }
}
