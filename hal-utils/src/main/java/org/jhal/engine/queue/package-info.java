// SPDX-License-Identifier: Apache-2.0
/**
 * The queues of operations that wait for timeline semaphores and signal them.
 *
 * <p>A wait is registered in {@code EngineSemaphore.register}, an event is recorded in {@code
 * Issuer.issue}, and the outcome of an operation that was issued is decided in {@code Settling}.
 */
@NullMarked
package org.jhal.engine.queue;

import org.jspecify.annotations.NullMarked;
