package org.jhal.cuda;

import com.sun.jna.Function;
import java.util.Objects;
import java.util.Optional;
import org.jhal.Device;
import org.jhal.cts.Controls;
import org.jhal.simulator.driver.ControlledGpu;

/** CUDA devices in which tests make calls fail, and hold streams. */
public final class ControlledCuda {
  private static final int GREATER_OR_EQUAL = 0; // CU_STREAM_WAIT_VALUE_GEQ

  private ControlledCuda() {}

  /** Opens a device that {@link #of} knows. */
  public static Device open(String uri) {
    return ControlledGpu.open(new CudaDriver(), uri);
  }

  /** The controls of a device from {@link #open}; nothing for any other. */
  public static Optional<Controls> of(Device device) {
    return ControlledGpu.of(device, ControlledCuda::waitForNumber);
  }

  private static void waitForNumber(CudaStream stream, long address, int value) {
    String name = "cuStreamWaitValue32";
    CudaLibrary library = CudaLibrary.load();
    Function newer = library.optional(name + "_v2");
    Function wait = newer != null ? newer : Objects.requireNonNull(library.optional(name), name);
    CudaResult.CODES.check(
        name, wait.invokeInt(new Object[] {stream.address(), address, value, GREATER_OR_EQUAL}));
  }
}
