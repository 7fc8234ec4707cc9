// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.kit;

/**
 * One native call that fails, at one position of a workload.
 *
 * @param call a function, or work in a stream, as {@link org.jhal.simulator.Simulator} names them
 * @param nth which use of it fails, counted from 1; 0 for none at all
 * @param isSticky whether the context is dead after it
 * @param mode how the steps reach the streams
 */
public record GpuFault(String call, int nth, boolean isSticky, Mode mode) {
  /** How the steps reach the streams. */
  public enum Mode {
    /** The streams are paused until everything is enqueued, so that waits are native. */
    PAUSED,
    /** The streams run while steps are enqueued. */
    RUNNING,
    /** The device is closed while everything is parked or in flight. */
    CLOSING
  }

  /** A failed launch and an unknown error, as all runtimes number them. */
  public static final int STICKY_CODE = 719;

  /** A code that loses nothing. */
  public static final int PLAIN_CODE = 999;

  /** The case in which no call fails. */
  public static GpuFault none(Mode mode) {
    return new GpuFault("none", 0, false, mode);
  }

  /** Reads what {@link #toString} wrote. */
  public static GpuFault parse(String text) {
    String[] parts = text.split("/", -1);
    if (parts.length != 4) {
      throw new IllegalArgumentException("'" + text + "' is not CALL/NTH/sticky|plain/MODE");
    }
    return new GpuFault(
        parts[0], Integer.parseInt(parts[1]), parts[2].equals("sticky"), Mode.valueOf(parts[3]));
  }

  /** Whether work in a stream fails, from which a device cannot recover. */
  public boolean isWork() {
    return call.startsWith("@");
  }

  public int code() {
    return isSticky ? STICKY_CODE : PLAIN_CODE;
  }

  /** The name of the function in the driver's messages. */
  public String shortName() {
    return shortName(call);
  }

  /** A function as messages name it: without a version. */
  public static String shortName(String function) {
    return function.replaceFirst("_v\\d$", "");
  }

  @Override
  public String toString() {
    return call + "/" + nth + "/" + (isSticky ? "sticky" : "plain") + "/" + mode;
  }
}
