// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.runtime;

import com.sun.jna.Native;
import org.jhal.HalException;
import org.jhal.Status;

/** Why a dispatch has failed, by the numbers of {@code hal_abi.h} and {@code hal_runtime.h}. */
public final class Failure {
  private static final int TEXT = 256; // HAL_TEXT

  private Failure() {}

  /**
   * The failure of a kernel, which fails its operation and leaves the device as it is.
   *
   * @param number what {@link HalRuntime#hal_pool_run} has just returned on this thread
   * @param where more about the address of {@link HalRuntime#hal_failure_address}, or nothing
   */
  public static HalException of(int number, String kernel, String where) {
    byte[] bytes = new byte[TEXT];
    HalRuntime.hal_failure_text(bytes, TEXT);
    String text = Native.toString(bytes, "UTF-8");
    Status status = number == 20 ? Status.RESOURCE_EXHAUSTED : Status.ABORTED;
    String message = "kernel " + kernel + " " + what(number);
    return new HalException(status, text.isEmpty() ? message : message + ": " + text + where);
  }

  private static String what(int number) {
    return switch (number) {
      case 1 -> "trapped";
      case 2 -> "failed an assertion";
      case 3 -> "cannot go on, because its work items wait for each other";
      case 4 ->
          "waits for its grid, which only a kernel may that its bundle declares as cooperative";
      case 16 -> "accessed memory that is not its own";
      case 17 -> "divided an integer by zero, or by -1 where the quotient does not fit";
      case 18 -> "trapped, or executed an instruction that this processor does not have";
      case 19 -> "ran out of stack";
      case 20 -> "has no memory for its work items";
      default -> "failed with the code " + number;
    };
  }
}
