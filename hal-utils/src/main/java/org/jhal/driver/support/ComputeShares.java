// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.support;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Locale;
import org.jhal.HalException;
import org.jhal.Status;

/**
 * The books of a device whose compute units are divided among queues (rule Q12): which part of them
 * belongs to queues with a share. At least one granule is left for the others.
 *
 * <p>Thread-safe.
 */
public final class ComputeShares {
  /** How much the sum of shares may be above 1, since most fractions have no exact number. */
  private static final double ROUNDING = 1e-9;

  private final String device;
  private final int units;
  private final int granule;
  private final int most; // units of all shares

  @GuardedBy("this")
  private double promised; // the sum of the shares that were requested

  @GuardedBy("this")
  private int taken; // units of all shares; a multiple of the granule

  /**
   * The books of a device, none of which is taken.
   *
   * @param device its name, for messages
   * @param units how many compute units it has
   * @param granule of how many a share is a multiple; at least 1
   */
  public ComputeShares(String device, int units, int granule) {
    this(device, units, granule, (units - granule) / granule * granule);
  }

  /**
   * As {@link #ComputeShares(String, int, int)}, for a device of which some units cannot be shared.
   *
   * @param most how many units all shares may have together, a multiple of the granule
   */
  public ComputeShares(String device, int units, int granule, int most) {
    this.device = device;
    this.units = units;
    this.granule = granule;
    this.most = most;
  }

  /** What was taken; {@link #giveBack} takes it. */
  public record Share(double promised, int units) {}

  /** How many compute units the device has. */
  public int units() {
    return units;
  }

  /** Of how many compute units a share is a multiple. */
  public int granule() {
    return granule;
  }

  /** Whether a share can be taken from the device at all. */
  public boolean canBeShared() {
    return most > 0;
  }

  /** How many compute units are left for queues without a share. */
  public synchronized int rest() {
    return units - taken;
  }

  /**
   * Takes the multiple of the granule that is nearest to a share, or what is left if that is less.
   *
   * @param share above 0 and at most 1
   * @throws HalException RESOURCE_EXHAUSTED if the shares are more than 1, or nothing is left
   */
  public synchronized Share take(double share) {
    int left = most - taken;
    if (promised + share > 1 + ROUNDING || left < granule) {
      throw new HalException(
          Status.RESOURCE_EXHAUSTED,
          "a share of %s of %s: queues have %s of it, and %s of its %s compute units can still be shared"
              .formatted(number(share), device, number(promised), Math.max(0, left), units));
    }
    long nearest = Math.max(1, Math.round(share * units / granule));
    Share took = new Share(share, (int) Math.min(left, nearest * granule));
    promised += share;
    taken += took.units();
    return took;
  }

  /** Ends a share. Called once for each. */
  public synchronized void giveBack(Share share) {
    taken -= share.units();
    promised = taken == 0 ? 0 : promised - share.promised();
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.4g", value);
  }
}
