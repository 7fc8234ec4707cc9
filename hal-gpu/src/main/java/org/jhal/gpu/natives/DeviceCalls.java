// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.natives;

import java.lang.System.Logger.Level;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.ThreadBinding;
import org.jhal.driver.support.Attempt;
import org.jhal.driver.support.BoundCalls;
import org.jspecify.annotations.Nullable;

/**
 * Interprets the result codes of calls on an open device, and remembers its loss.
 *
 * <p>{@link #failure} makes the {@link HalException}s. Methods that release something never throw:
 * they use {@link #checkFreed}.
 *
 * <p>Thread-safe.
 */
public abstract class DeviceCalls implements ThreadBinding {
  private static final System.Logger LOG = System.getLogger(DeviceCalls.class.getName());

  private final GpuLibrary library;
  private final GpuApi api;
  private final ResultCodes codes;
  private final @Nullable CooperativeCalls cooperative;
  private volatile boolean isLost;

  /**
   * For a device of a runtime.
   *
   * @param api the functions that its operations call
   */
  protected DeviceCalls(GpuLibrary library, GpuApi api) {
    this.library = library;
    this.api = api;
    this.codes = library.vendor().codes();
    this.cooperative = CooperativeCalls.find(this); // last: it uses the others
  }

  /** The runtime that the device belongs to. */
  public final GpuLibrary library() {
    return library;
  }

  /** The gate for calls that may wait until a device is idle. */
  public final LaunchGate gate() {
    return library.gate();
  }

  /** The functions that operations call. */
  public final GpuApi api() {
    return api;
  }

  /** All other functions. */
  public final GpuSetup setup() {
    return codes.functions().setup();
  }

  /** The calls for cooperative kernels; null if the runtime lacks them. */
  public final @Nullable CooperativeCalls cooperative() {
    return cooperative;
  }

  /** Whether a call has returned an error after which all calls fail. */
  public final boolean isLost() {
    return isLost;
  }

  public final void check(String function, int code) {
    if (code != ResultCodes.SUCCESS) {
      throw failure(function, code, "");
    }
  }

  /** The failure of a call; see {@link ResultCodes#failure}. */
  public final HalException failure(String function, int code, String what) {
    HalException failure = codes.failure(function, code, what);
    if (failure.status() == Status.UNAVAILABLE) {
      isLost = true;
    }
    return failure;
  }

  /**
   * As {@link #check}, for a call that releases something: only logs the failure. Logs nothing for
   * a lost device, which refuses such calls and frees everything when it is released.
   */
  public final void checkFreed(String function, int code) {
    if (code != ResultCodes.SUCCESS) {
      logUnlessLost(failure(function, code, ""));
    }
  }

  /**
   * Calls {@code body}, which releases something, with the device bound. If that fails, the
   * device's end releases it. Never throws.
   */
  public final void giveBack(Runnable body) {
    logUnlessLost(Attempt.of(() -> BoundCalls.run(this, body))); // no caller could handle it
  }

  private void logUnlessLost(@Nullable Throwable failure) {
    if (failure != null && !isLost) {
      LOG.log(Level.WARNING, "something is not given back before its device ends", failure);
    }
  }
}
