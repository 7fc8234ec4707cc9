// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.hazard;

/**
 * A set of operations that have ended before something: of each chain those up to a number, and in
 * any case those whose end the host has observed, which are left out. Immutable.
 */
final class Clock {
  static final Clock NONE = new Clock(new Chain[0], new long[0], 0);

  private final Chain[] chains; // ascending by their ids
  private final long[] ends;
  private final int size;

  private Clock(Chain[] chains, long[] ends, int size) {
    this.chains = chains;
    this.ends = ends;
    this.size = size;
  }

  int size() {
    return size;
  }

  Chain chain(int index) {
    return chains[index];
  }

  long end(int index) {
    return ends[index];
  }

  /** Up to which operation of the chain; 0 for none. */
  long end(Chain chain) {
    int low = 0;
    int high = size - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      Chain found = chains[middle];
      if (found == chain) {
        return ends[middle];
      }
      if (found.id < chain.id) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return 0;
  }

  /** This, and the operations of a chain up to {@code end}, which it does not have. */
  Clock with(Chain chain, long end) {
    return size == 1 && chains[0] == chain
        ? new Clock(chains, new long[] {end}, 1)
        : union(new Clock(new Chain[] {chain}, new long[] {end}, 1));
  }

  /** The host has seen the end of its operations. */
  void observe() {
    for (int i = 0; i < size; i++) {
      chains[i].observed = Math.max(chains[i].observed, ends[i]);
    }
  }

  /** The host has seen the failure of those of its operations that have failed. */
  void observeFailed() {
    for (int i = 0; i < size; i++) {
      chains[i].observedFailed = Math.max(chains[i].observedFailed, ends[i]);
    }
  }

  /** Whether it has all operations of the other one. */
  boolean includes(Clock other) {
    if (other == this) {
      return true;
    }
    for (int i = 0; i < other.size; i++) {
      long end = other.ends[i];
      if (end > other.chains[i].observed && end(other.chains[i]) < end) {
        return false;
      }
    }
    return true;
  }

  /** The operations of both together. */
  Clock union(Clock other) {
    if (other.size == 0 || other == this) {
      return this;
    }
    if (size == 0) {
      return other;
    }
    return merge(other, true);
  }

  /** The operations that are in both. */
  Clock intersection(Clock other) {
    return other == this ? this : size == 0 || other.size == 0 ? NONE : merge(other, false);
  }

  private Clock merge(Clock other, boolean isUnion) {
    Chain[] merged = new Chain[size + other.size];
    long[] values = new long[merged.length];
    int count = 0;
    int i = 0;
    int j = 0;
    while (i < size || j < other.size) {
      Chain here = i < size ? chains[i] : null;
      Chain there = j < other.size ? other.chains[j] : null;
      boolean isHere = here != null && (there == null || here.id <= there.id);
      boolean isThere = there != null && (here == null || there.id <= here.id);
      Chain chain = isHere ? here : there;
      long end = isHere ? ends[i] : other.ends[j];
      if (isHere && isThere) {
        end = isUnion ? Math.max(end, other.ends[j]) : Math.min(end, other.ends[j]);
      }
      i += isHere ? 1 : 0;
      j += isThere ? 1 : 0;
      if (chain != null && (isUnion || (isHere && isThere)) && end > chain.observed) {
        merged[count] = chain;
        values[count++] = end;
      }
    }
    return count == 0 ? NONE : new Clock(merged, values, count);
  }
}
