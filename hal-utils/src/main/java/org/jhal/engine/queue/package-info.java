/**
 * Timeline semaphores, and the queues of operations that wait for them and signal them.
 *
 * <p>A wait is registered in {@code EngineSemaphore.register}, an event is recorded in {@code
 * Issuer.issue}, and an operation gets its verdict in {@code Operation.fixVerdict}, which only
 * {@code Settling} calls.
 */
@NullMarked
package org.jhal.engine.queue;

import org.jspecify.annotations.NullMarked;
