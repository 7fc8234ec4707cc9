package org.jhal.driver.gpu;

import org.jhal.HalException;
import org.jhal.Status;

/** What the result codes of a native library mean. */
public abstract class ResultCodes {
  /** The code of a call that succeeded. */
  public static final int SUCCESS = 0;

  /** For subclasses. */
  protected ResultCodes() {}

  /** The status for a code; UNAVAILABLE if the device is lost to this process after it. */
  public abstract Status status(int code);

  /** The code, its name and what it means, as the library tells them. */
  public abstract String describe(int code);

  /**
   * The failure of a call.
   *
   * @param what what was being done, for people; may be empty
   */
  public final HalException failure(String call, int code, String what) {
    return new HalException(
        status(code), (what.isEmpty() ? "" : what + ": ") + call + " returned " + describe(code));
  }

  /** Throws {@link #failure} unless {@code code} is that of success. */
  public final void check(String call, int code) {
    if (code != SUCCESS) {
      throw failure(call, code, "");
    }
  }
}
