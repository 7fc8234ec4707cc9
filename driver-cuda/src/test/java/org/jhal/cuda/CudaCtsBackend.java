// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import com.sun.jna.Function;
import java.util.Objects;
import org.jhal.gpu.GpuDriver;
import org.jhal.gpu.natives.SharedLibrary;
import org.jhal.simulator.kit.GpuCtsBackend;

/** The CUDA driver as the conformance suite sees it. */
public final class CudaCtsBackend extends GpuCtsBackend {
  private static final int GREATER_OR_EQUAL = 0; // CU_STREAM_WAIT_VALUE_GEQ

  /** For the service loader. */
  public CudaCtsBackend() {
    super(CudaDriverProvider.NAME);
  }

  @Override
  protected GpuDriver newDriver() {
    return new CudaDriver();
  }

  @Override
  protected void waitForNumber(long stream, long address, int value) {
    String name = "cuStreamWaitValue32";
    SharedLibrary library = CudaDriver.library().library();
    Function newer = library.optional(name + "_v2");
    Function wait = newer != null ? newer : Objects.requireNonNull(library.optional(name), name);
    CudaResult.CODES.check(
        "streamWaitValue32",
        wait.invokeInt(new Object[] {stream, address, value, GREATER_OR_EQUAL}));
  }
}
