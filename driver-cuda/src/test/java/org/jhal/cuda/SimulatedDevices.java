package org.jhal.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import java.util.Map;
import org.jhal.Device;
import org.jhal.DeviceUri;
import org.jhal.cts.Waits;
import org.jhal.cuda.sim.SimulatedCuda;
import org.jhal.simulator.SimulatedLibrary;
import org.jhal.simulator.Simulator;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Two simulated devices for each test; after it, all that is native must have been given back, and
 * no native call been wrong.
 */
final class SimulatedDevices implements BeforeEachCallback, AfterEachCallback {

  private final CudaDriver driver = new CudaDriver();

  Simulator simulator() {
    return Simulator.in(SimulatedCuda.library().path());
  }

  /** Skips the test unless the driver runs on the simulator in this process. */
  static void assumeThere() {
    for (SimulatedLibrary library : List.of(SimulatedCuda.library(), SimulatedCuda.compiler())) {
      assumeTrue(library.unavailable().isEmpty(), () -> library.unavailable().get());
    }
    assumeTrue(isUsed(), "the tests run on another library than the simulated one");
  }

  private static boolean isUsed() {
    SimulatedLibrary library = SimulatedCuda.library();
    return library.unavailable().isEmpty()
        && library.path().toString().equals(System.getProperty(CudaLibrary.PROPERTY));
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    assumeThere();
    simulator().reset();
    simulator().devices(2);
  }

  CudaDriver driver() {
    return driver;
  }

  Device open(String uri) {
    return driver.open(DeviceUri.parse(uri));
  }

  /** What is mapped write-combined lives until its views are collected. */
  static void collectViews() {
    if (UploadMemory.waiting() > 0) {
      System.gc();
      Waits.awaitTrue(
          "views of write-combined memory to be collected", () -> UploadMemory.waiting() == 0);
    }
  }

  @Override
  public void afterEach(ExtensionContext context) {
    if (!isUsed()) {
      return;
    }
    collectViews();
    List<String> misuses = simulator().misuses();
    Map<String, Long> live = simulator().live();
    simulator().reset();
    if (context.getExecutionException().isEmpty()) {
      assertEquals(List.of(), misuses, "misuses");
      assertEquals(Map.of(), live, "live");
    }
  }
}
