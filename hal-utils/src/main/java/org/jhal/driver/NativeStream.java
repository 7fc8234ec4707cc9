package org.jhal.driver;

import org.jhal.BufferParams;

/**
 * All that the engine asks of one native stream. A driver implements it; the engine calls it.
 *
 * <p>Failures are {@link org.jhal.HalException}s. One with status UNAVAILABLE means that the device
 * is lost; any other status, thrown by {@link #issue}, {@link #allocAsync}, {@link #freeAsync} or
 * {@link #createEvent}, concerns that operation alone. A failure of recording, waiting for,
 * querying or synchronizing an event, or of binding or unbinding a thread, always loses the device
 * (rule Q7a).
 *
 * <p>Events are used again: one may be recorded anew while a stream still has to come to a wait for
 * its recording before. So {@link #waitEvent}, {@link #queryEvent} and {@link #synchronizeEvent}
 * mean the latest recording at the moment of the call, and a later one does not change what was
 * handed to a stream. Where a runtime's events fire only once, {@link
 * org.jhal.driver.support.ReusableEvent} makes one of this kind of them.
 *
 * <p>Threads: what reaches the stream ({@link #recordEvent}, {@link #waitEvent}, {@link #issue},
 * {@link #allocAsync}, {@link #freeAsync}) is called by one thread at a time; the rest from any
 * thread. {@link #bindToThread} is called before on each of them. No call is made with an engine
 * lock held, and none after {@link #close()}.
 *
 * @param <E> the driver's native event
 */
public interface NativeStream<E> extends ThreadBinding {
  /** A new event, not recorded. */
  E createEvent();

  /** Destroys an event that nothing uses. */
  void destroyEvent(E event);

  /**
   * Records an event behind the work that it covers: it fires when that has completed. On a stream
   * that {@link #isInOrder} this is everything issued to it before.
   *
   * <p>On another one it is at least what was issued since the recording before this one, together
   * with the waits among it. The engine records once behind each operation, so this is one
   * operation; where it depends on earlier ones, the stream was told so with {@link #waitEvent}.
   */
  void recordEvent(E event);

  /**
   * Makes what is issued to this stream later wait for an event that was recorded on a stream of
   * the same device. On a stream that is not in order, what is issued later ends with the next
   * recording.
   */
  void waitEvent(E event);

  /** Whether a recorded event has fired; never blocks. */
  boolean queryEvent(E event);

  /**
   * Blocks until a recorded event has fired, also if the thread is interrupted; only a device that
   * is lost ends it early, with a failure.
   */
  void synchronizeEvent(E event);

  /**
   * Hands commands to the stream. Must not wait for them. There may be none.
   *
   * <p>If it throws, part of them may have been handed over.
   *
   * <p>Until the event that is recorded behind them has fired, the commands, their host memory and
   * the memory of their operands stay as they are; afterwards nothing of that may be touched.
   *
   * @param submission tells, during this call only, where operands are, and takes what the driver
   *     learns later
   */
  void issue(CommandList commands, Submission submission);

  /**
   * Allocates in stream order: what is issued later may use the memory, or, on a stream that is not
   * in order, what waits for the event behind this. What an earlier {@link #freeAsync} gives back
   * should count as free already. Called for memory that the backend {@link DeviceBackend#supports
   * supports}; may be allocated at once.
   *
   * @param submission takes a failure that only shows when the stream gets there
   * @throws org.jhal.HalException RESOURCE_EXHAUSTED if there is not enough memory
   */
  DeviceMemory allocAsync(long bytes, BufferParams params, Submission submission);

  /**
   * Frees memory from {@link #allocAsync}, of this stream or another one of the device, in stream
   * order: behind what was issued before, or, on a stream that is not in order, behind the waits
   * since the recording before. Its {@link DeviceMemory#free()} is then not called.
   */
  void freeAsync(DeviceMemory memory);

  /**
   * Whether work completes in the order in which it was issued. If not, the engine also waits for
   * events that were recorded on this very stream, and {@link #recordEvent} says what an event
   * covers. Always the same.
   */
  default boolean isInOrder() {
    return true;
  }

  /**
   * How much the stream holds before a call that adds something blocks. Each wait for an event and
   * each record counts as one, each command as its {@link #weight}. What would go beyond waits
   * until enough is over. An operation that alone is more is issued while nothing else is in the
   * stream, by a thread of the queue, so that no user's thread ever blocks (rule Q1).
   */
  default int capacity() {
    return Integer.MAX_VALUE;
  }

  /**
   * What a command counts against {@link #capacity()}, at least 1: more than 1 for a command that
   * becomes several, or that takes memory of which the stream has only so much. The same for all
   * streams of a device, and as long as the command is the same. Called from any thread, without
   * the device bound.
   */
  default int weight(Command command) {
    return 1;
  }

  /**
   * Whether {@link #issue} may block on these commands though there is capacity for them, such as
   * while it makes something that the stream does not have yet. If so, they are left to a thread of
   * the queue. Asked when they are enqueued, from any thread, without the device bound.
   */
  default boolean issueMayBlock(CommandList commands) {
    return false;
  }

  /** The same of {@link #allocAsync}. */
  default boolean allocMayBlock(BufferParams params) {
    return false;
  }

  /**
   * Whether everything issued has completed, also what no event tells of; never blocks. Asked for
   * before anything is freed that the stream may use. A failure with status UNAVAILABLE says that
   * nothing runs any more, another one that it is not known.
   */
  boolean isIdle();

  /** Frees the stream; everything issued has completed. */
  void close();
}
