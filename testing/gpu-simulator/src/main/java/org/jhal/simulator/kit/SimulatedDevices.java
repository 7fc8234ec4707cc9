// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.kit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jhal.Device;
import org.jhal.DeviceUri;
import org.jhal.cts.support.Waits;
import org.jhal.gpu.GpuDriver;
import org.jhal.simulator.Simulator;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Two simulated devices for each test. After the test, all native objects must have been released,
 * and no native call may have been wrong.
 */
public final class SimulatedDevices implements BeforeEachCallback, AfterEachCallback {
  private final SimulatedGpu gpu;
  private final GpuDriver driver;

  /** For the devices of a process. */
  public SimulatedDevices(SimulatedGpu gpu) {
    this.gpu = gpu;
    this.driver = gpu.driver();
  }

  /** The simulator. */
  public Simulator simulator() {
    return gpu.simulator();
  }

  /** Skips the test where there are none. */
  public static void assumeThere(SimulatedGpu gpu) {
    assumeTrue(gpu.unavailable().isEmpty(), () -> gpu.unavailable().get());
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    assumeThere(gpu);
    gpu.reset();
    simulator().devices(2);
  }

  /** Their driver. */
  public GpuDriver driver() {
    return driver;
  }

  /**
   * Adds two devices, to make four.
   *
   * @return how many the driver finds: still two, if it counts them once per process
   */
  public int four() {
    simulator().devices(4);
    return driver().devices(DeviceUri.parse(driver.name())).size();
  }

  /** Opens one. */
  public Device open(String uri) {
    return driver.open(DeviceUri.parse(uri));
  }

  /** How often a function was called. */
  public long calls(String function) {
    return simulator().calls().getOrDefault(function, 0L);
  }

  /** Waits until a function was called {@code count} times. */
  public void awaitCalls(String function, long count) {
    Waits.awaitTrue(count + " calls of " + function, () -> calls(function) >= count);
  }

  /** Waits until views of write-combined memory, which keep it, are collected. */
  public static void collectViews() {
    if (GpuDriver.closedBuffersInUse() > 0) {
      System.gc();
      Waits.awaitTrue(
          "views of write-combined memory to be collected",
          () -> GpuDriver.closedBuffersInUse() == 0);
    }
  }

  /** The native objects that were not released. */
  public Map<String, Long> live() {
    return live(gpu);
  }

  public static Map<String, Long> live(SimulatedGpu gpu) {
    Map<String, Long> live = new TreeMap<>(gpu.simulator().live());
    if (gpu.keepsContexts()) {
      live.remove("context");
    }
    return live;
  }

  @Override
  public void afterEach(ExtensionContext context) {
    if (gpu.unavailable().isPresent()) {
      return;
    }
    collectViews();
    List<String> misuses = simulator().misuses();
    Map<String, Long> live = live();
    gpu.reset();
    if (context.getExecutionException().isEmpty()) {
      assertEquals(List.of(), misuses, "misuses");
      assertEquals(Map.of(), live, "live");
    }
  }
}
