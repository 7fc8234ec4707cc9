package org.jhal.mock;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jhal.HalException;
import org.jhal.Status;

/**
 * Makes calls of the driver fail on purpose: a named call, on its nth use from now on.
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
              "load"));

  private record Fault(HalException failure, int usesLeft) {}

  private final Map<String, Fault> faults = new HashMap<>(); // guarded by this
  private volatile boolean
      isArmed; // whether there are faults; so that calls without any cost nothing

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
    isArmed = false;
  }

  /** Called at the start of each call. */
  void check(String call) {
    if (isArmed) {
      count(call);
    }
  }

  private synchronized void count(String call) {
    Fault fault = faults.get(call);
    if (fault == null) {
      return;
    }
    if (fault.usesLeft > 1) {
      faults.put(call, new Fault(fault.failure, fault.usesLeft - 1));
      return;
    }
    faults.remove(call);
    isArmed = !faults.isEmpty();
    throw fault.failure.again();
  }
}
