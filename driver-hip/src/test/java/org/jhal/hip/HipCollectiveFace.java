package org.jhal.hip;

import static org.jhal.hip.jna.HipRuntime.*;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.jhal.hip.jna.HipConstants;
import org.jhal.hip.jna.hipStream_t;
import org.jhal.hip.sim.StandIn;
import org.jhal.simulator.collective.OnCollectives;

/** What tests of the simulated RCCL call of the runtime. */
final class HipCollectiveFace implements OnCollectives.Face {
  HipCollectiveFace() {
    if (HipOnSimulator.GPU.unavailable().isEmpty()) {
      StandIn.chosen().simulator().devices(2); // the driver counts them once in a process
      HipLibrary.load();
    }
  }

  private static hipStream_t of(long handle) {
    hipStream_t stream = new hipStream_t();
    stream.set(handle);
    return stream;
  }

  /** The shim counts them once in a process. */
  @Override
  public int devices() {
    return StandIn.chosen() == StandIn.SHIM ? 2 : 4;
  }

  @Override
  public void use(int device) {
    assertEquals(0, hipSetDevice(device));
  }

  @Override
  public long stream() {
    long[] made = new long[1];
    assertEquals(0, hipStreamCreateWithFlags(made, HipConstants.hipStreamNonBlocking));
    return made[0];
  }

  @Override
  public long memory(long bytes) {
    long[] made = new long[1];
    assertEquals(0, hipMalloc(made, bytes));
    return made[0];
  }

  @Override
  public int free(long address) {
    return hipFree(address);
  }

  @Override
  public int synchronize(long stream) {
    return hipStreamSynchronize(of(stream));
  }

  @Override
  public boolean isIdle(long stream) {
    return hipStreamQuery(of(stream)) == 0;
  }

  @Override
  public String freeing() {
    return StandIn.chosen() == StandIn.SHIM ? "cuMemFree_v2" : "hipFree";
  }
}
