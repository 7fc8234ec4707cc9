// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.support;

import com.google.common.collect.ArrayListMultimap;
import com.google.common.collect.ListMultimap;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * Makes a named call of the driver fail on its nth use from now on. Also counts the uses of each
 * call, so that a test knows how many failures to try.
 *
 * <p>Thread-safe.
 */
public final class Faults {
  private record Fault(HalException failure, int usesLeft) {}

  private final Set<String> calls;

  @GuardedBy("this")
  private final ListMultimap<String, Fault> faults = ArrayListMultimap.create();

  @GuardedBy("this")
  private @Nullable Map<String, Integer> uses; // null if uses are not counted

  private volatile boolean isArmed; // has faults or counts; keeps other checks cheap

  /**
   * An object without faults.
   *
   * @param calls the names of the calls that can fail
   */
  public Faults(Set<String> calls) {
    this.calls = Set.copyOf(calls);
  }

  /** The names of the calls that can fail. */
  public Set<String> calls() {
    return calls;
  }

  /**
   * Makes a call fail once. A call may have several faults, each of which counts all uses since it
   * was added. If two are due at one use, the older one happens and the other one is dropped.
   *
   * @param call the name of the call
   * @param nth which use fails, counted from 1, starting now
   * @param failure what the call throws
   * @throws HalException INVALID_ARGUMENT for an unknown call; OUT_OF_RANGE if {@code nth < 1}
   */
  public synchronized void failNth(String call, int nth, HalException failure) {
    if (!calls.contains(call)) {
      throw new HalException(
          Status.INVALID_ARGUMENT, "no call '" + call + "' to fail; there are " + calls);
    }
    if (nth < 1) {
      throw new HalException(
          Status.OUT_OF_RANGE, "use " + nth + " of " + call + ": uses are counted from 1");
    }
    faults.put(call, new Fault(failure, nth));
    isArmed = true;
  }

  /** Cancels all pending faults. */
  public synchronized void clear() {
    faults.clear();
    isArmed = uses != null;
  }

  /** Whether a fault is still to happen. */
  public synchronized boolean isPending() {
    return !faults.isEmpty();
  }

  /** Whether a fault has not happened yet, or uses are counted. */
  public boolean isArmed() {
    return isArmed;
  }

  /** Starts to count the uses of calls, from 0. */
  public synchronized void countUses() {
    uses = new TreeMap<>();
    isArmed = true;
  }

  /** How often each call was used since {@link #countUses}, by name. */
  public synchronized Map<String, Integer> uses() {
    return uses == null ? Map.of() : Map.copyOf(uses);
  }

  /**
   * Called by the driver or its wrapper at the start of each call.
   *
   * @throws HalException the failure, if this use is to fail
   */
  public void check(String call) {
    if (isArmed) {
      count(call);
    }
  }

  private synchronized void count(String call) {
    if (uses != null) {
      uses.merge(call, 1, Integer::sum);
    }
    Fault due = null;
    for (Fault fault : faults.removeAll(call)) {
      if (fault.usesLeft > 1) {
        faults.put(call, new Fault(fault.failure, fault.usesLeft - 1));
      } else if (due == null) {
        due = fault;
      }
    }
    isArmed = !faults.isEmpty() || uses != null;
    if (due != null) {
      throw due.failure.again();
    }
  }
}
