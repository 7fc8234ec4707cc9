// SPDX-License-Identifier: Apache-2.0
/**
 * The deferred work queue: operations wait for timelines, go into a native stream, and end.
 *
 * <p><b>The way of an operation.</b> {@code Enqueuer} takes it from a thread of the program and
 * registers its waits with their timelines ({@code EngineSemaphore.register}). When the last one
 * has ended, {@code IssueLine} has it among the ready ones, and {@code Issuer} hands it to the
 * stream, with its waits for native events, its work and an event behind that, and publishes it on
 * the timelines that it signals. When the event has fired, {@code Settling} decides the outcome and
 * raises or fails the signals, and a {@code Retirer} releases what it held. {@code OpenList} has it
 * from beginning to end.
 *
 * <p><b>Threads.</b> Threads of the program enqueue, and issue what is ready, which saves a hop to
 * another thread. {@code NAME-issue} issues what they leave: what may block, what exceeds a
 * courtesy of 32 operations, and what virtual threads enqueue. {@code NAME-completion} ({@code
 * Completer}) waits for the events in the order of the stream, settles and retires. While it sleeps
 * in the native runtime, {@code NAME-aside} retires in its place ({@code Deputy}). A thread that
 * waits for a value polls the event that covers it and settles the operation itself ({@code
 * EventInquiry}). {@code DeferredWorkQueue} puts all of them together.
 *
 * <p><b>Order.</b> Ready operations are issued in the order in which they were enqueued, by one
 * thread at a time, which has the drainer's role; {@code IssueLine} grants it. No ready operation
 * stays behind, since the role is given up in the same critical section that finds nothing to
 * issue. Across queues and devices only timelines order: a wait is reached, or covered by an event
 * that the stream waits for, and an outcome is decided only when those of all producers are
 * applied. So a visible value implies every value that it depends on.
 *
 * <p><b>State.</b> Every change of {@code Operation.state} is one compare-and-set, so one thread
 * makes it; the outcome is set once, with the operation's monitor held. Three locks guard the
 * lists, none of which is held while another one is taken or other code is called: those of {@code
 * OpenList}, {@code IssueLine} and {@code Retiring}. Each field says who writes it.
 *
 * <p><b>Failure.</b> A failed wait, or a native call for the work, fails the operation. A failed
 * call about an event, or one that reports the loss of the device, loses the device ({@code
 * QueueLoss}): all that is open fails with the first cause, and what is in the stream is still
 * waited for before it retires, or kept until the stream is idle. {@code StreamWatch} ends what
 * waits in the stream for a device that is gone. An error in the engine's own code refuses the
 * call, or loses the device: see {@link org.jhal.engine.timeline.ReadyQueue#brokenBy}.
 *
 * <p><b>Shutdown.</b> {@code QueueShutdown} has the steps: users are refused, what was not issued
 * fails, what was issued is waited for, the gate is shut, the threads end, and nothing native is
 * freed before the stream is idle.
 */
@NullMarked
package org.jhal.engine.queue;

import org.jspecify.annotations.NullMarked;
