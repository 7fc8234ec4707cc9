// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.stream;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.BitSet;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jhal.driver.support.ComputeShares;
import org.jhal.gpu.natives.Undo;
import org.jhal.gpu.runtime.ComputeSplit;
import org.jhal.gpu.runtime.GpuCore;
import org.jhal.gpu.runtime.GpuRuntime;
import org.jspecify.annotations.Nullable;

/**
 * Divides a device's compute units among queues (rule Q12). A share is exclusive only if everybody
 * else runs elsewhere; so while there is one, all streams without a share have a place, too: that
 * of what is left.
 *
 * <p>A place that was made stays until the device is closed, for streams that come back to it.
 *
 * <p>Thread-safe.
 */
public final class ComputePlaces {
  private final GpuRuntime runtime;
  private final ComputeSplit split;
  private final ComputeShares shares;
  private final Map<BitSet, ComputePlace> places = new ConcurrentHashMap<>(); // by their granules

  @GuardedBy("this")
  private final BitSet taken = new BitSet(); // granules of shares

  private volatile @Nullable ComputePlace rest; // of all streams without a share; null: everywhere

  public ComputePlaces(GpuCore core, ComputeSplit split) {
    this.runtime = core.runtime();
    this.split = split;
    int granule = split.granule();
    this.shares =
        new ComputeShares(core.name(), split.units(), granule, (split.granules() - 1) * granule);
  }

  /** A part of the device that belongs to one queue. */
  public final class Share {
    private final ComputeShares.Share took;
    private final BitSet granules;
    private @Nullable ComputePlace place; // set by take()

    private Share(ComputeShares.Share took, BitSet granules) {
      this.took = took;
      this.granules = granules;
    }

    /** How many compute units it has. */
    public int units() {
      return took.units();
    }

    /** Where kernels of its queue run. */
    public ComputePlace place() {
      if (place == null) {
        throw new IllegalStateException("no place was made");
      }
      return place;
    }

    /** Gives it back. Called once. */
    public void giveBack() {
      synchronized (ComputePlaces.this) {
        taken.andNot(granules);
      }
      shares.giveBack(took);
      runtime.giveBack(ComputePlaces.this::moveOthers);
    }
  }

  /**
   * Whether streams with a place have priorities. Where they have none, streams with a priority
   * have no place, and no share is exclusive.
   */
  public boolean hasPriorities() {
    return split.hasPriorities();
  }

  /** How many compute units the device has. */
  public int units() {
    return shares.units();
  }

  /** Where the kernels of streams without a share run from now on; null if that is everywhere. */
  public @Nullable ComputePlace rest() {
    return rest;
  }

  /**
   * Takes a share. The device is bound.
   *
   * @throws org.jhal.HalException RESOURCE_EXHAUSTED if there is not so much left; what the runtime
   *     refuses
   */
  public Share take(double wanted) {
    ComputeShares.Share took = shares.take(wanted);
    Share share = new Share(took, takeGranules(took.units() / split.granule()));
    boolean isMade = false;
    try {
      share.place = place(share.granules, false);
      moveOthers();
      isMade = true;
      return share;
    } finally {
      if (!isMade) {
        share.giveBack();
      }
    }
  }

  private synchronized BitSet takeGranules(int count) {
    BitSet granules = new BitSet();
    for (int left = count, next = taken.nextClearBit(0); left > 0; left--) {
      granules.set(next);
      next = taken.nextClearBit(next + 1);
    }
    taken.or(granules);
    return granules;
  }

  /** Gives the streams without a share what is left. */
  private void moveOthers() {
    BitSet now;
    do {
      now = takenNow();
      BitSet left = new BitSet();
      left.set(0, split.granules());
      left.andNot(now);
      rest = now.isEmpty() ? null : place(left, true);
    } while (!takenNow().equals(now)); // so that what is set last is the latest
  }

  private synchronized BitSet takenNow() {
    return (BitSet) taken.clone();
  }

  private ComputePlace place(BitSet granules, boolean hasRemainder) {
    BitSet key = (BitSet) granules.clone();
    if (hasRemainder) {
      key.set(split.granules());
    }
    ComputePlace known = places.get(key);
    if (known != null) {
      return known;
    }
    int remainder = split.units() - split.granules() * split.granule();
    int units = granules.cardinality() * split.granule() + (hasRemainder ? remainder : 0);
    long place = split.makePlace(granules, hasRemainder);
    ComputePlace made =
        Undo.onFailure(() -> new ComputePlace(split, place, units), () -> split.endPlace(place));
    ComputePlace other = places.putIfAbsent(key, made);
    if (other == null) {
      return made;
    }
    made.end();
    return other;
  }

  /** Ends all places. Their streams are closed. */
  public void close() {
    places.values().forEach(ComputePlace::end);
    places.clear();
  }
}
