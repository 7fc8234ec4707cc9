// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.jna.NativeLibrary;
import org.jhal.cuda.sim.SimulatedCuda;
import org.jhal.simulator.fixture.CollectiveFace;
import org.jspecify.annotations.Nullable;

/** The calls of the driver library that tests of the simulated NCCL need. */
final class CudaCollectiveFace implements CollectiveFace {
  private @Nullable NativeLibrary library; // there may be none

  private int code(String function, Object... arguments) {
    if (library == null) {
      library = NativeLibrary.getInstance(SimulatedCuda.library().path().toString());
    }
    return library.getFunction(function).invokeInt(arguments);
  }

  private long make(String function, Object argument) {
    long[] made = new long[1];
    assertEquals(0, code(function, made, argument), function);
    return made[0];
  }

  @Override
  public int devices() {
    return 4;
  }

  @Override
  public void use(int device) {
    assertEquals(0, code("cuInit", 0));
    assertEquals(0, code("cuCtxSetCurrent", make("cuDevicePrimaryCtxRetain", device)));
  }

  @Override
  public long stream() {
    return make("cuStreamCreate", 1);
  }

  @Override
  public long memory(long bytes) {
    return make("cuMemAlloc_v2", bytes);
  }

  @Override
  public int free(long address) {
    return code("cuMemFree_v2", address);
  }

  @Override
  public int synchronize(long stream) {
    return code("cuStreamSynchronize", stream);
  }

  @Override
  public boolean isIdle(long stream) {
    return code("cuStreamQuery", stream) == 0;
  }

  @Override
  public String freeing() {
    return "cuMemFree_v2";
  }
}
