package org.jhal.gpu.natives;

import java.util.HashMap;
import java.util.Map;
import org.jhal.HalException;
import org.jhal.NativeCode;
import org.jhal.Status;

/**
 * The meaning of the result codes of a runtime.
 *
 * <p>Immutable.
 */
public final class ResultCodes {
  /** The code of a call that succeeded. */
  public static final int SUCCESS = 0;

  private final GpuApi api;
  private final Map<Integer, Status> statuses;

  /** The codes of a runtime, all of which mean {@link Status#UNKNOWN}. */
  public ResultCodes(GpuApi api) {
    this(api, Map.of());
  }

  private ResultCodes(GpuApi api, Map<Integer, Status> statuses) {
    this.api = api;
    this.statuses = statuses;
  }

  /** Adds the meaning of some codes. UNAVAILABLE means that the process has lost the device. */
  public ResultCodes with(Status status, int... codes) {
    Map<Integer, Status> all = new HashMap<>(statuses);
    for (int code : codes) {
      all.put(code, status);
    }
    return new ResultCodes(api, all);
  }

  /** The functions that return the codes. */
  public GpuApi api() {
    return api;
  }

  /** The status for a code; UNAVAILABLE if the process has lost the device after it. */
  public Status status(int code) {
    return statuses.getOrDefault(code, Status.UNKNOWN);
  }

  /** A code with its name, if known, and its description from the library. */
  public String describe(int code) {
    String name = api.errorName(code);
    String text = api.errorText(code);
    return code
        + (name == null ? ", which has no known name" : " " + name)
        + (text.isEmpty() || text.equals(name) ? "" : " (" + text + ")");
  }

  /**
   * Makes the failure of a call.
   *
   * @param function its name as in {@link GpuApi#functionName}
   * @param what the attempted action, for messages; may be empty
   */
  public HalException failure(String function, int code, String what) {
    String call = api.functionName(function);
    return new HalException(
        status(code),
        (what.isEmpty() ? "" : what + ": ") + call + " returned " + describe(code),
        null,
        new NativeCode(code, api.errorName(code)));
  }

  /** Throws {@link #failure} unless {@code code} is {@link #SUCCESS}. */
  public void check(String function, int code) {
    if (code != SUCCESS) {
      throw failure(function, code, "");
    }
  }
}
