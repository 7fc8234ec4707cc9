package org.jhal.gpu.natives;

import java.util.HashMap;
import java.util.Map;
import org.jhal.HalException;
import org.jhal.NativeCode;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * The meaning of the result codes of a native library. A subclass defines them in its constructor.
 *
 * <p>Thread-safe.
 */
public abstract class ResultCodes {
  /** The code of a call that succeeded. */
  public static final int SUCCESS = 0;

  private final Map<Integer, Status> statuses = new HashMap<>(); // constant after construction

  /** For subclasses. Codes that they do not define mean {@link Status#UNKNOWN}. */
  protected ResultCodes() {}

  /**
   * Defines the status for some codes; called in the constructor. UNAVAILABLE means that the
   * process has lost the device.
   */
  protected final void mean(Status status, int... codes) {
    for (int code : codes) {
      statuses.put(code, status);
    }
  }

  /** The status for a code; UNAVAILABLE if the process has lost the device after it. */
  public final Status status(int code) {
    return statuses.getOrDefault(code, Status.UNKNOWN);
  }

  /** The name of a code; null if neither the library nor its binding knows one. */
  protected abstract @Nullable String name(int code);

  /** What the library says about a code; empty if it says nothing more than its name. */
  protected abstract String text(int code);

  /** A code as a program sees it, see {@link HalException#nativeCode}. */
  public final NativeCode nativeCode(int code) {
    return new NativeCode(code, name(code));
  }

  /** A code with its name, or that it has none, and description from the library. */
  public final String describe(int code) {
    String name = name(code);
    String text = text(code);
    return code
        + (name == null ? ", which has no known name" : " " + name)
        + (text.isEmpty() || text.equals(name) ? "" : " (" + text + ")");
  }

  /**
   * Makes the failure of a call.
   *
   * @param call the name of the native function
   * @param what what was being done, for people; may be empty
   */
  public final HalException failure(String call, int code, String what) {
    return new HalException(
        status(code),
        (what.isEmpty() ? "" : what + ": ") + call + " returned " + describe(code),
        null,
        nativeCode(code));
  }

  /** Throws {@link #failure} unless {@code code} is {@link #SUCCESS}. */
  public final void check(String call, int code) {
    if (code != SUCCESS) {
      throw failure(call, code, "");
    }
  }
}
