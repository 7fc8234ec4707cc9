// SPDX-License-Identifier: Apache-2.0
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

  private final GpuFunctions functions;
  private final Map<Integer, Status> statuses;

  /** The codes of a runtime, all of which mean {@link Status#UNKNOWN}. */
  public ResultCodes(GpuFunctions functions) {
    this(functions, Map.of());
  }

  private ResultCodes(GpuFunctions functions, Map<Integer, Status> statuses) {
    this.functions = functions;
    this.statuses = statuses;
  }

  /** Adds the meaning of some codes. UNAVAILABLE means that the process has lost the device. */
  public ResultCodes with(Status status, int... codes) {
    Map<Integer, Status> all = new HashMap<>(statuses);
    for (int code : codes) {
      all.put(code, status);
    }
    return new ResultCodes(functions, all);
  }

  /** The functions that return the codes. */
  public GpuFunctions functions() {
    return functions;
  }

  /** The status for a code; UNAVAILABLE if the process has lost the device after it. */
  public Status status(int code) {
    return statuses.getOrDefault(code, Status.UNKNOWN);
  }

  /** A code with its name, if known, and its description from the library. */
  public String describe(int code) {
    String name = functions.errorName(code);
    String text = functions.errorText(code);
    return code
        + (name == null ? ", which has no known name" : " " + name)
        + (text.isEmpty() || text.equals(name) ? "" : " (" + text + ")");
  }

  /**
   * Makes the failure of a call.
   *
   * @param function its name as in {@link GpuFunctions#functionName}
   * @param what the attempted action, for messages; may be empty
   */
  public HalException failure(String function, int code, String what) {
    String call = functions.functionName(function);
    return new HalException(
        status(code),
        (what.isEmpty() ? "" : what + ": ") + call + " returned " + describe(code),
        null,
        new NativeCode(code, functions.errorName(code)));
  }

  /** Throws {@link #failure} unless {@code code} is {@link #SUCCESS}. */
  public void check(String function, int code) {
    if (code != SUCCESS) {
      throw failure(function, code, "");
    }
  }
}
