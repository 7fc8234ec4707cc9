// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.micro;

import org.jhal.Device;
import org.jhal.Hal;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** The device that a benchmark uses. */
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init") // JMH sets the parameter and calls open() first
public class OpenDevice {
  /** The device's URI; {@code -p uri=...} names another one. */
  @Param("mock")
  public String uri;

  Device device;

  /** Opens it. */
  @Setup(Level.Trial)
  public void open() {
    device = Hal.openDevice(uri);
  }

  /** Closes it. */
  @TearDown(Level.Trial)
  public void close() {
    device.close();
  }
}
