// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver;

import org.jhal.BufferParams;
import org.jhal.HalException;
import org.jspecify.annotations.Nullable;

/**
 * What the engine needs of one native stream. A driver implements it; the engine calls it.
 *
 * <p>Work reaches the stream in one call, {@link #submit}. Drivers of runtimes with a call for each
 * step extend {@link StepwiseStream}.
 *
 * <p>Failures are {@link HalException}s. One with status UNAVAILABLE means that the device is lost.
 * {@link #submit} says which of its failures fail only their operation, as does {@link #outcome}; a
 * failure of {@link #createEvent} fails only that operation, too. A failure of querying or
 * synchronizing an event, or of binding or unbinding a thread, always loses the device (rule Q7a).
 * What {@link #weight(Command)}, {@link #timingWeight}, {@link #issueMayBlock} and {@link
 * #allocMayBlock} throw refuses the call of the user that asks; what the weight of prepared
 * commands throws later fails that operation.
 *
 * <p>Events are reused: an event may be recorded again before a stream reaches a wait for its
 * previous recording. So a wait in {@link #submit}, {@link #queryEvent} and {@link
 * #synchronizeEvent} refer to the latest recording at the moment of the call, and a later recording
 * does not change a wait that is already in a stream. If a runtime's events fire only once, {@link
 * org.jhal.driver.support.ReusableEvent} turns them into reusable ones.
 *
 * <p>Threads: {@link #submit} and {@link #flush} are called by one thread at a time; the others
 * from any thread. {@link #bindToThread} is called first on each thread. No call is made with an
 * engine lock held, except {@link #weight(PreparedCommands)}, and none after {@link #close()}.
 *
 * @param <E> the driver's native event
 */
public interface NativeStream<E> extends ThreadBinding {
  /**
   * Creates an event that is not recorded yet. Only this stream records it, and only this stream is
   * asked about it or destroys it; other streams wait for it, those of other devices, too ({@link
   * DeviceBackend#eventDomain}). So where events are values of a timeline of the stream, an event
   * need keep the latest value only.
   */
  E createEvent();

  /** Destroys an event that nothing uses. No {@link #submit} runs, or comes later. */
  void destroyEvent(E event);

  /**
   * Puts a batch into the stream, without waiting for it: makes the stream wait for the batch's
   * events, hands over its work, and records its event.
   *
   * <p><b>Waits</b> hold back the work of this batch and all later ones. On a stream that is not in
   * order they need hold back only work up to the next recording.
   *
   * <p><b>The event</b> fires when everything that was submitted to the stream before has
   * completed. On a stream that is not {@linkplain #isInOrder in order}, it covers at least the
   * waits and the work since the previous recording. The engine records once behind each operation,
   * so this is one operation; if it depends on earlier ones, it waits for their events.
   *
   * <p><b>Failures</b> are of three kinds, by what has reached the stream:
   *
   * <ul>
   *   <li><i>Nothing.</i> A {@link HalException} is thrown. The operation fails with it when those
   *       that it waits for are over; meanwhile their events may be submitted in a batch without
   *       work.
   *   <li><i>A part, or all, and the event covers it.</i> A failure is returned. The operation
   *       fails with it when the event has fired.
   *   <li><i>Unknown.</i> An {@link UncoveredWorkException} is thrown, and the device is lost. Any
   *       other exception or error counts as this.
   * </ul>
   *
   * <p>In the first two, status UNAVAILABLE also loses the device. If the work calls {@link
   * Submission#putBack}, nothing of it may reach the stream, no event is recorded, and null is
   * returned; the waits may have reached it.
   *
   * @return null if the whole batch is in the stream; otherwise why its work has failed. If that is
   *     not a {@link HalException}, the operation fails with INTERNAL
   */
  @Nullable Throwable submit(StreamBatch<E> batch);

  /**
   * Whether {@link #submit} keeps batches back until {@link #flush}, because one native call for
   * several batches costs less than one for each. Always the same.
   */
  default boolean gathers() {
    return false;
  }

  /**
   * Whether work that is handed over now would only wait for earlier work of this stream, so that
   * it loses no time if it is handed over later, together with more. Called as {@link #submit} is,
   * if the stream {@link #gathers}; makes no native call.
   */
  default boolean isBusy() {
    return false;
  }

  /**
   * Hands over to the device what {@link #submit} has kept back. Until then the events of these
   * batches do not fire. A driver may hand over some of it earlier, such as when the device has
   * nothing else to do.
   *
   * <p>The engine calls this if the stream {@link #gathers}, once no other operation is ready.
   * While the stream {@link #isBusy}, and nobody waits for what was kept back, it first goes on
   * with operations that become ready within some microseconds. Called as {@link #submit} is, also
   * after the loss of the device, when it may not be bound.
   *
   * @throws HalException if any batch since the last call was not handed over as a whole. The
   *     operations of all these batches fail with it. Their events must not fire before the next
   *     call, which hands over no work of theirs, but has their events fire when the stream gets
   *     there; if that fails, too, the device is lost. Status UNAVAILABLE loses it at once
   */
  default void flush() {}

  /**
   * Calls {@code body}, which puts something into this stream that involves another device: a wait
   * for one of its events, or for an imported one, which may be its, or commands that use its
   * memory. For drivers that have to keep that away from something else, such as the launch of a
   * collective on several devices: they call it at another time, or refuse. What {@code body}
   * throws is thrown. May be called within itself.
   *
   * @param mayBlock whether this may wait for the right time, because a thread of the queue calls
   * @return false if it would have to, and may not: then {@code body} was not called, and a thread
   *     of the queue comes again
   */
  default boolean across(boolean mayBlock, Runnable body) {
    body.run();
    return true;
  }

  /** Whether a recorded event has fired; never blocks. */
  boolean queryEvent(E event);

  /**
   * Blocks until a recorded event has fired, even if the thread is interrupted. Only the loss of
   * the device ends the wait early, with a failure.
   */
  void synchronizeEvent(E event);

  /**
   * How the work behind an event has ended, for runtimes that report it only when asked. Called
   * only if {@link DeviceBackend#outcomesCanFail}, once for each recording that the engine has seen
   * fire with {@link #queryEvent} or {@link #synchronizeEvent}: before the operation behind it gets
   * a verdict that depends on the answer, and before the event is recorded anew or destroyed. No
   * operation counts as done because a later event has fired, or because another stream is past its
   * own.
   *
   * <p>Not called for an event that is not seen to fire, because the device is lost or past the
   * deadline of its close: the operations behind such events fail for that reason.
   *
   * <p>Called from any thread, with the device bound; never blocks, since other threads may wait
   * for the answer.
   *
   * @return null if the work has succeeded. A failure with status UNAVAILABLE means that the device
   *     is lost. With any other status the operation fails with it, unless it has failed before,
   *     and so does what waits for the operation (rule Q6). An exception that is thrown loses the
   *     device, and so does an {@link Error}, behind which the engine may ask again
   */
  default @Nullable HalException outcome(E event) {
    return null;
  }

  /**
   * Whether work completes in the order in which it was issued. If not, the engine also waits for
   * events that were recorded on this same stream, and {@link #submit} says what an event covers.
   * Always the same.
   */
  default boolean isInOrder() {
    return true;
  }

  /**
   * How much the stream holds before a call that adds something blocks. Each wait for an event and
   * each recording counts as one, each command as its {@link #weight}. An operation that would
   * exceed the capacity is issued when enough earlier work is over. An operation that alone exceeds
   * the capacity is issued while nothing else is in the stream, by a thread of the queue, so that
   * no user's thread ever blocks (rule Q1).
   */
  default int capacity() {
    return Integer.MAX_VALUE;
  }

  /**
   * How much a command counts against {@link #capacity()}; at least 1. It is more than 1 for a
   * command that becomes several native ones, or that uses a limited resource of the stream. The
   * same for all streams of a device, and always the same for a command. Called from any thread,
   * without the device bound.
   */
  default int weight(Command command) {
    return 1;
  }

  /**
   * How much commands that were {@linkplain DeviceBackend#prepare prepared} count if they are
   * submitted now, or 0 if they are issued one by one and count as such. It may change at any time:
   * if {@link #submit} finds that they need more, it {@linkplain Submission#putBack gives the
   * submission back}. Called from any thread, without the device bound and perhaps with a lock of
   * the engine held: it only reads fields.
   */
  default int weight(PreparedCommands prepared) {
    return 0;
  }

  /**
   * How much more an operation counts if it is enqueued now and its time on the device is measured;
   * less than 0 if it is not to be measured. Called from any thread, without the device bound: it
   * only reads fields.
   *
   * @param isRecorded whether anybody records when operations run
   */
  default int timingWeight(boolean isRecorded) {
    return -1;
  }

  /**
   * How much more each command of a recording counts if its time is measured; less than 0, as by
   * default, if the stream cannot measure it now. Asked only while these times are recorded. As
   * {@link #timingWeight}; devices that measure them offer {@link
   * org.jhal.Capability#COMMAND_TIMES}.
   */
  default int commandTimingWeight() {
    return -1;
  }

  /**
   * Whether {@link #submit} may block on these commands even though there is capacity for them,
   * such as while it creates something on first use. If so, a thread of the queue issues them.
   * Called when they are enqueued, from any thread, without the device bound.
   */
  default boolean issueMayBlock(CommandList commands) {
    return false;
  }

  /** Whether an allocation in stream order may block; otherwise as {@link #issueMayBlock}. */
  default boolean allocMayBlock(BufferParams params) {
    return false;
  }

  /**
   * Whether everything that was issued has completed, including work that no event covers; never
   * blocks. Called before anything is freed that the stream may use. A failure with status
   * UNAVAILABLE means that nothing runs any more; with another status it means that this is not
   * known.
   */
  boolean isIdle();

  /** Frees the stream, when everything that was issued has completed. */
  void close();
}
