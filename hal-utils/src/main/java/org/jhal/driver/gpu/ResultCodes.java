package org.jhal.driver.gpu;

import java.util.HashMap;
import java.util.Map;
import org.jhal.HalException;
import org.jhal.Status;

/**
 * What the result codes of a native library mean. A subclass tells it of each code, when it is
 * made.
 *
 * <p>Thread-safe.
 */
public abstract class ResultCodes {
  /** The code of a call that succeeded. */
  public static final int SUCCESS = 0;

  private final Map<Integer, Status> statuses = new HashMap<>(); // constant once it is made

  /** For subclasses. A code that they do not name is {@link Status#UNKNOWN}. */
  protected ResultCodes() {}

  /** In the constructor: what some codes mean. UNAVAILABLE loses the device to this process. */
  protected final void mean(Status status, int... codes) {
    for (int code : codes) {
      statuses.put(code, status);
    }
  }

  /** The status for a code; UNAVAILABLE if the device is lost to this process after it. */
  public final Status status(int code) {
    return statuses.getOrDefault(code, Status.UNKNOWN);
  }

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
