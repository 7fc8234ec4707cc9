// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.options;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of the engine for one device.
 *
 * @param queues the number of queues
 * @param inflight the maximum number of operations in a stream
 * @param spinNanos how long a host thread polls a native event before it parks
 * @param completionSpinNanos how long a queue's completion thread polls, for an event or for more
 *     work, before it sleeps
 * @param closeTimeout how long closing waits for work in flight
 * @param abortTimeout how long the device's part in a collective may take to end at least, once
 *     that has failed
 * @param hostCalls how many threads run host calls of users
 * @param copyThreads how many threads run the other host completions: those of transfers and of
 *     copies between devices
 * @param sharesEvents whether the device and others of its driver wait for each other's events
 * @param sharesMemory whether the device and others of its driver use each other's memory
 * @param tracesLeaks whether the report of a leaked buffer or command buffer says where it was made
 * @param findsHazards whether operations that touch the same bytes without an order are reported
 * @param failsByHazards whether such an operation fails instead
 * @param recordsTo the file into which the device is recorded; null if it is not
 */
public record EngineConfig(
    int queues,
    int inflight,
    long spinNanos,
    long completionSpinNanos,
    Duration closeTimeout,
    Duration abortTimeout,
    int hostCalls,
    int copyThreads,
    boolean sharesEvents,
    boolean sharesMemory,
    boolean tracesLeaks,
    boolean findsHazards,
    boolean failsByHazards,
    @Nullable String recordsTo) {
  /** A configuration that looks for no hazards, and records nothing. */
  public EngineConfig(
      int queues,
      int inflight,
      long spinNanos,
      long completionSpinNanos,
      Duration closeTimeout,
      Duration abortTimeout,
      int hostCalls,
      int copyThreads,
      boolean sharesEvents,
      boolean sharesMemory,
      boolean tracesLeaks) {
    this(
        queues,
        inflight,
        spinNanos,
        completionSpinNanos,
        closeTimeout,
        abortTimeout,
        hostCalls,
        copyThreads,
        sharesEvents,
        sharesMemory,
        tracesLeaks,
        false,
        false,
        null);
  }
}
