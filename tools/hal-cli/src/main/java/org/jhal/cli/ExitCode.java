// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

/** The exit codes of the {@code hal} command. */
public final class ExitCode {
  /** Everything was done. */
  public static final int SUCCESS = 0;

  /** The work failed while it ran, or its output could not be written. */
  public static final int FAILED = 1;

  /** Wrong usage or bad input; nothing ran. */
  public static final int USAGE = 2;

  /** There is no such driver, device or process, or it cannot be used for this; nothing ran. */
  public static final int NO_DEVICE = 3;

  /** {@code hal cts}: tests failed. */
  public static final int TESTS_FAILED = 4;

  /** {@code hal cts}: the run was stopped at its deadline. */
  public static final int TIMED_OUT = 5;

  /** {@code hal check}: something is wrong with a kernel. */
  public static final int FOUND = 6;

  /** Ended by an interrupt, such as Ctrl-C. */
  public static final int INTERRUPTED = 130;

  /** The reader of the output closed its pipe; what a shell says of a program that SIGPIPE ends. */
  public static final int CLOSED_PIPE = 141;

  private ExitCode() {}
}
