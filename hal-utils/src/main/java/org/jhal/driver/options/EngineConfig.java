package org.jhal.driver.options;

import java.time.Duration;

/**
 * How the engine is set up for one device.
 *
 * @param queues how many queues it has
 * @param inflight how many operations a stream holds at most
 * @param spinNanos how long a host thread polls a native event before it parks
 * @param completionSpinNanos how long a queue's completion thread polls, for an event or for more
 *     work, before it sleeps
 * @param closeTimeout how long closing waits for work in flight
 * @param hostCalls how many threads run host calls of users
 * @param copyThreads how many threads run the other host completions: what transfers and copies
 *     between devices leave to the host
 * @param tracesLeaks whether the report of a leaked buffer says where it was made
 */
public record EngineConfig(
    int queues,
    int inflight,
    long spinNanos,
    long completionSpinNanos,
    Duration closeTimeout,
    int hostCalls,
    int copyThreads,
    boolean tracesLeaks) {}
