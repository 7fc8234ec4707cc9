// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import static org.jhal.hip.jna.HipApi.API;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.jhal.gpu.natives.GpuApi;
import org.jhal.gpu.natives.GpuLibrary;
import org.jhal.hip.jna.HipTable;
import org.jhal.hip.sim.StandIn;
import org.jhal.simulator.fixture.CollectiveFace;

/** The calls of the runtime that tests of the simulated RCCL need. */
final class HipCollectiveFace implements CollectiveFace {
  HipCollectiveFace() {
    if (StandIn.chosen().unavailable().isEmpty()) {
      StandIn.chosen().simulator().devices(2); // the driver counts them once in a process
      GpuLibrary unused = HipDriver.library();
      HipTable bound = API.calls(null);
    }
  }

  private static long of(long handle) {
    long stream = handle;
    return stream;
  }

  /** The shim counts the devices once per process. */
  @Override
  public int devices() {
    return StandIn.chosen() == StandIn.SHIM ? 2 : 4;
  }

  @Override
  public void use(int device) {
    assertEquals(0, API.setDevice(device));
  }

  @Override
  public long stream() {
    long[] made = new long[1];
    assertEquals(0, API.setup().streamCreateWithFlags(made, GpuApi.STREAM_NON_BLOCKING));
    return made[0];
  }

  @Override
  public long memory(long bytes) {
    long[] made = new long[1];
    assertEquals(0, API.setup().malloc(made, bytes));
    return made[0];
  }

  @Override
  public int free(long address) {
    return API.setup().free(address);
  }

  @Override
  public int synchronize(long stream) {
    return API.streamSynchronize(of(stream));
  }

  @Override
  public boolean isIdle(long stream) {
    return API.streamQuery(of(stream)) == 0;
  }

  @Override
  public String freeing() {
    return StandIn.chosen() == StandIn.SHIM ? "cuMemFree_v2" : "hipFree";
  }
}
