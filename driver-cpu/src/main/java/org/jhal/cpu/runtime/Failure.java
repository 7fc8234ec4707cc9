package org.jhal.cpu.runtime;

import org.jhal.HalException;
import org.jhal.Status;

/** Why a dispatch has failed, by the numbers of {@code hal_runtime.c} and {@code hal_abi.h}. */
public final class Failure {
  private Failure() {}

  /** The failure of a kernel. */
  public static HalException of(int number, String kernel) {
    Status status = number == 20 ? Status.RESOURCE_EXHAUSTED : Status.ABORTED;
    return new HalException(status, "kernel " + kernel + " " + what(number));
  }

  private static String what(int number) {
    return switch (number) {
      case 1 -> "has trapped";
      case 2 -> "has failed an assertion";
      case 3 -> "cannot go on: its work items wait for each other";
      case 16 -> "has accessed an address that is not its own";
      case 17 -> "has divided by zero";
      case 18 -> "has executed an illegal instruction";
      case 19 -> "has run out of stack";
      case 20 -> "has no memory for its stacks and its shared memory";
      default -> "has failed with code " + number;
    };
  }
}
