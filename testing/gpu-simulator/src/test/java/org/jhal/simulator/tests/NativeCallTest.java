// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jna.NativeLibrary;
import java.util.ArrayList;
import java.util.List;
import org.jhal.simulator.fixture.NativeCall;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.jhal.simulator.fixture.SimulatedGpu;
import org.junit.jupiter.api.Test;

/** The vendor's names of native functions. */
class NativeCallTest {
  /** No call of a function that has another name is ever counted, or fails on purpose. */
  @Test
  void theSimulatorHasTheFunctions() {
    SimulatedGpu gpu = SimulatedGpu.ofProcess();
    SimulatedDevices.assumeThere(gpu);
    NativeLibrary library = NativeLibrary.getInstance(gpu.simulator().file().toString());
    List<String> missing = new ArrayList<>();
    int named = 0;
    for (NativeCall call : NativeCall.values()) {
      if (gpu.find(call).isPresent()) {
        named++;
        try {
          library.getFunction(gpu.name(call));
        } catch (UnsatisfiedLinkError e) {
          missing.add(call + ": " + gpu.name(call));
        }
      }
    }
    assertEquals(List.of(), missing);
    assertTrue(named > 40, named + " names");
  }
}
