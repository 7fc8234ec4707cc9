// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.kit;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.jhal.Device;
import org.jhal.cts.Controls;
import org.jhal.cts.CtsBackend;
import org.jhal.gpu.GpuDriver;

/**
 * A driver as the conformance suite sees it. With the system property {@code
 * jhal.DRIVER.cts.controls=false} it provides no controls: devices are opened as users open them,
 * and a spinning kernel holds a stream.
 */
public abstract class GpuCtsBackend implements CtsBackend {
  private final String driver;
  private final boolean givesControls;

  /** For a driver. */
  protected GpuCtsBackend(String driver) {
    this.driver = driver;
    this.givesControls = !System.getProperty(name("controls"), "true").equals("false");
  }

  private String name(String property) {
    return "jhal." + driver + ".cts." + property;
  }

  /** A new driver; called when the first device is opened. */
  protected abstract GpuDriver newDriver();

  /**
   * Makes a stream wait until the number at an address is at least a value; the device is bound.
   */
  protected abstract void waitForNumber(long stream, long address, int value);

  @Override
  public final String driver() {
    return driver;
  }

  /** The value of the property {@code jhal.DRIVER.cts.absent}, if it is set. */
  @Override
  public Optional<String> unavailable() {
    String reason = System.getProperty(name("absent"));
    return reason != null ? Optional.of(reason) : CtsBackend.super.unavailable();
  }

  /** What the simulator does not do as a device does. Its libraries lie in folders of its name. */
  @Override
  public List<Unsupported> unsupported() {
    String variable = "JHAL_" + driver.toUpperCase(Locale.ROOT) + "_LIBRARY";
    String library =
        System.getProperty(
            "jhal." + driver + ".library", Objects.requireNonNullElse(System.getenv(variable), ""));
    return library.contains("gpu-simulator")
        ? List.of(
            new Unsupported(
                "ArithmeticTest.castsSaturate",
                "kernels of the simulator are compiled by the host's compiler, whose casts of numbers"
                    + " beyond the range of an integer give what the host's processor gives"))
        : List.of();
  }

  @Override
  public Device open(String uri) {
    return givesControls ? ControlledGpu.open(newDriver(), uri) : CtsBackend.super.open(uri);
  }

  @Override
  public boolean sharesEvents() {
    return true;
  }

  @Override
  public Optional<Controls> controls(Device device) {
    return givesControls ? ControlledGpu.of(device, this::waitForNumber) : Optional.empty();
  }

  /** After one, every call of the process fails on this device. */
  @Override
  public boolean survivesKernels() {
    return false;
  }

  @Override
  public Optional<String> memoryLimit(long bytes) {
    return Optional.of("memory=" + bytes);
  }
}
