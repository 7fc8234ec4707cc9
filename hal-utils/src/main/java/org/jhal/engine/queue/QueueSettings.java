// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import java.time.Duration;

/**
 * The settings of a queue, some of which are its device's.
 *
 * @param name the queue's name, for messages and threads
 * @param number the number by which recordings name it; see {@link
 *     org.jhal.engine.flightrecorder.Names}
 * @param end since when the device is gone; the same for all its queues, and for no other
 * @param eventDomain the token of the devices whose events its stream can wait for, by which
 *     semaphores know it
 * @param outcomesCanFail whether the driver has to be asked how work has ended; see {@link
 *     org.jhal.driver.DeviceBackend#outcomesCanFail}
 * @param maxInFlight the maximum number of operations in its stream
 * @param spinNanos how long a host thread polls a native event before it parks
 * @param issueSpinNanos how long the issue thread looks for more work before it sleeps
 * @param completionSpinNanos how long the completion thread polls before it sleeps
 * @param quietNanos how long the completion thread queries no event while nobody wants to know
 * @param patience how long the stream may wait for an event of a device that is gone
 */
public record QueueSettings(
    String name,
    long number,
    DeviceEnd end,
    Object eventDomain,
    boolean outcomesCanFail,
    int maxInFlight,
    long spinNanos,
    long issueSpinNanos,
    long completionSpinNanos,
    long quietNanos,
    Duration patience) {}
