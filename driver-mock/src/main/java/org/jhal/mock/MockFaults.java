package org.jhal.mock;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * Makes calls of the driver fail on purpose: a named call, on its nth use from now on. Also counts
 * how often each call is used, which tells what can be made to fail.
 *
 * <p>Thread-safe.
 */
final class MockFaults {
  /**
   * The calls that can fail: those of the driver interface, and what a stream does for them later.
   */
  private static final Set<String> CALLS =
      new LinkedHashSet<>(
          List.of(
              "createStream",
              "closeStream",
              "bindToThread",
              "unbindFromThread",
              "createEvent",
              "destroyEvent",
              "recordEvent",
              "waitEvent",
              "queryEvent",
              "synchronizeEvent",
              "issue",
              "command", // one command while it is issued: those before it have reached the stream
              "execute", // one command while the stream runs it
              "allocAsync",
              "freeAsync",
              "allocate",
              "importHost",
              "map",
              "flush",
              "invalidate",
              "free",
              "load",
              "unload",
              "close"));

  private record Fault(HalException failure, int usesLeft) {}

  private final Map<String, Fault> faults = new HashMap<>(); // guarded by this
  private @Nullable Map<String, Integer> uses; // guarded by this; null if nobody counts
  private volatile boolean
      isArmed; // whether there are faults or counts; so that calls without any cost nothing

  static Set<String> calls() {
    return CALLS;
  }

  /** Makes the {@code nth} use of {@code call} fail, counted from 1. */
  synchronized void failNth(String call, int nth, HalException failure) {
    if (!CALLS.contains(call)) {
      throw new HalException(
          Status.INVALID_ARGUMENT, "no call '" + call + "' to fail; there are " + CALLS);
    }
    if (nth < 1) {
      throw new HalException(
          Status.OUT_OF_RANGE, "use " + nth + " of " + call + ": uses are counted from 1");
    }
    faults.put(call, new Fault(failure, nth));
    isArmed = true;
  }

  synchronized void clear() {
    faults.clear();
    isArmed = uses != null;
  }

  /** Whether a fault has not happened yet. */
  synchronized boolean isPending() {
    return !faults.isEmpty();
  }

  /** Starts to count the uses of calls, from 0. */
  synchronized void countUses() {
    uses = new TreeMap<>();
    isArmed = true;
  }

  /** How often each call was used since {@link #countUses}, by name. */
  synchronized Map<String, Integer> uses() {
    return uses == null ? Map.of() : Map.copyOf(uses);
  }

  /** Called at the start of each call. */
  void check(String call) {
    if (isArmed) {
      count(call);
    }
  }

  private synchronized void count(String call) {
    if (uses != null) {
      uses.merge(call, 1, Integer::sum);
    }
    Fault fault = faults.get(call);
    if (fault == null) {
      return;
    }
    if (fault.usesLeft > 1) {
      faults.put(call, new Fault(fault.failure, fault.usesLeft - 1));
      return;
    }
    faults.remove(call);
    isArmed = !faults.isEmpty() || uses != null;
    throw fault.failure.again();
  }
}
