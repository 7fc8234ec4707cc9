package org.jhal.cuda.cts;

import java.util.Optional;
import org.jhal.Device;
import org.jhal.cts.Controls;
import org.jhal.cts.CtsBackend;
import org.jhal.cuda.ControlledCuda;

/**
 * The CUDA driver as the conformance suite sees it. With the system property {@code
 * jhal.cuda.cts.controls=false} it gives no controls: devices are opened as users open them, and
 * what holds a stream is a kernel that spins.
 */
public class CudaCtsBackend implements CtsBackend {
  /**
   * Why there is nothing to test, if tests were to run on something that is not there: a property.
   */
  public static final String ABSENT = "jhal.cuda.cts.absent";

  private final boolean givesControls =
      !System.getProperty("jhal.cuda.cts.controls", "true").equals("false");

  /** For the service loader. */
  public CudaCtsBackend() {}

  @Override
  public String driver() {
    return "cuda";
  }

  @Override
  public Optional<String> unavailable() {
    String reason = System.getProperty(ABSENT);
    return reason != null ? Optional.of(reason) : CtsBackend.super.unavailable();
  }

  @Override
  public Device open(String uri) {
    return givesControls ? ControlledCuda.open(uri) : CtsBackend.super.open(uri);
  }

  @Override
  public Optional<Controls> controls(Device device) {
    return givesControls ? ControlledCuda.of(device) : Optional.empty();
  }

  /** After one, every call of the process fails on this GPU, also in a new context. */
  @Override
  public boolean survivesKernels() {
    return false;
  }

  @Override
  public Optional<String> memoryLimit(long bytes) {
    return Optional.of("memory=" + bytes);
  }
}
