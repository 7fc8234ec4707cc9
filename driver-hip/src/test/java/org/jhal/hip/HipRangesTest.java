// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.simulator.tests.GpuRangesTest;

/** Ranges of rocTX. */
class HipRangesTest extends GpuRangesTest {
  private static final String SOURCE =
      """
      uint64_t roctxRangeStartA(const char* message) { return begin(message); }
      void roctxRangeStop(uint64_t range) { over(range); }
      """;

  HipRangesTest() {
    super(HipOnSimulator.GPU, "jhal.hip.roctx", SOURCE, "jhal: ");
  }
}
