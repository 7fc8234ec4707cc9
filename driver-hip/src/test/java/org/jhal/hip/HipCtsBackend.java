// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import com.sun.jna.Function;
import java.util.Objects;
import org.jhal.gpu.GpuDriver;
import org.jhal.simulator.kit.GpuCtsBackend;

/** The HIP driver as the conformance suite sees it. */
public final class HipCtsBackend extends GpuCtsBackend {
  private static final int GREATER_OR_EQUAL = 0; // hipStreamWaitValueGte
  private static final int ALL_BITS = -1;

  /** For the service loader. */
  public HipCtsBackend() {
    super(HipDriverProvider.NAME);
  }

  @Override
  protected GpuDriver newDriver() {
    return new HipDriver();
  }

  @Override
  protected void waitForNumber(long stream, long address, int value) {
    String name = "hipStreamWaitValue32";
    Function wait = Objects.requireNonNull(HipDriver.library().library().optional(name), name);
    HipResult.CODES.check(
        "streamWaitValue32",
        wait.invokeInt(new Object[] {stream, address, value, GREATER_OR_EQUAL, ALL_BITS}));
  }
}
