// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import java.util.function.Consumer;
import org.jhal.HalException;
import org.jhal.driver.HostCompletion;
import org.jhal.driver.HostThreads;
import org.jhal.driver.NativeStream;
import org.jhal.engine.concurrent.RefCounted;
import org.jhal.engine.hazard.RecordedOperation;
import org.jspecify.annotations.Nullable;

/**
 * What an operation does between its waits and its signals; each kind of work is a class. Unless a
 * method says otherwise, the enqueuing thread calls it, before the operation is visible to others.
 */
public interface Work<E> {
  /**
   * Adds the work to the batch, which has the waits and the event already, and submits it. Called
   * by the drainer with the device bound.
   *
   * @return why the work has failed, if the event covers what has reached the stream
   * @throws HalException if nothing has reached the stream
   */
  @Nullable Throwable issue(NativeStream<E> stream, Batch<E> batch, Operation<E> operation);

  /**
   * How much of the stream's {@link NativeStream#capacity()} the work takes up. If {@link
   * #weightMayChange}, it is called again when the operation may be issued, by any thread and with
   * a lock held: it then only reads fields.
   */
  default int weight(NativeStream<E> stream) {
    return 1;
  }

  /** Whether {@link #weight} may change until the work is issued. Called as {@link #weight}. */
  default boolean weightMayChange() {
    return false;
  }

  /**
   * For work whose weight may change: the most that it can be, as it is for commands that are
   * issued one by one. Called as {@link #weight}.
   */
  default int weightOfEach(NativeStream<E> stream) {
    return weight(stream);
  }

  /** Whether only the issue thread may issue the work. */
  default boolean mayBlock(NativeStream<E> stream) {
    return false;
  }

  /**
   * What the host has to do once the native work is complete, or null. Constant once {@link #issue}
   * has returned. Called from then on, as are the next three.
   */
  default @Nullable HostCompletion hostCompletion() {
    return null;
  }

  /**
   * Whether the signals wait for the host completion. If not, it runs after them, and what it
   * throws is only logged.
   */
  default boolean signalsAfterHostCompletion() {
    return false;
  }

  /** The threads that run the host completion. */
  default HostThreads hostThreads() {
    throw new IllegalStateException(describe() + " has no host completion");
  }

  /**
   * Whether the operation ends as {@link HostCompletion#run} says. If not, the host completion
   * calls {@link DeferredWorkQueue#hostCompletionOver} itself.
   */
  default boolean endsWithHostCompletion() {
    return true;
  }

  /** Whether it borrows host memory, which the program may wait for. For the drainer. */
  default boolean hasBorrow() {
    return false;
  }

  /**
   * Returns the host memory that the operation borrowed, unless that was done before: nothing reads
   * or writes it any more (rule Q2). Called by any thread that settles the operation, with no lock
   * held and without the drainer's role, since users' callbacks may run.
   */
  default void endBorrow() {}

  /**
   * Asks the devices whose memory the work uses whether one of them is lost. Called by the drainer
   * when issuing the work has failed as it does on a lost device.
   *
   * @return what the operation then fails with, or null if none is lost
   */
  default @Nullable HalException findLossElsewhere() {
    return null;
  }

  /**
   * Releases everything that the work refers to. Called once, by the thread that retires the
   * operation.
   *
   * @param releases takes the references to drop
   */
  default void retire(Consumer<RefCounted> releases) {}

  /**
   * Whether the host has to see the waits reached before the work is issued, so that the stream
   * never waits for their producers.
   */
  default boolean waitsOnHost() {
    return false;
  }

  /**
   * Whether the operation has to be {@linkplain #admit admitted} before it is ready. Such work
   * {@linkplain #waitsOnHost waits on the host}.
   */
  default boolean needsAdmission() {
    return false;
  }

  /**
   * Whether the operation, of which all waits are reached, is ready. If not, it stays parked until
   * {@link DeferredWorkQueue#admitted} is called, which may be at once, or it fails. Called once,
   * by any thread with no lock held; it may have failed meanwhile.
   */
  default boolean admit(Operation<E> operation) {
    return true;
  }

  /** Says what memory it touches, if its device looks for hazards, and how it ends. */
  default void record(RecordedOperation recorded) {}

  /**
   * Its outcome is decided. Called before its signals change and before it gives back host memory,
   * by each thread that applies the outcome; for one that was never issued, too.
   *
   * @param failure null if it has succeeded
   */
  default void ending(@Nullable HalException failure) {}

  /** Takes the text of a hazard that it completes, also of one that fails it. */
  default void reportHazard(String text) {}

  /** Whether a hazard that it completes fails it. */
  default boolean failsByHazard() {
    return false;
  }

  /** The kind of work in one or two words, such as {@code fill}, without making a string. */
  String kind();

  /** The number of the kernel of a dispatch, or 0. */
  default long kernel() {
    return 0;
  }

  /** How many commands it consists of. */
  default int commandCount() {
    return 0;
  }

  /** Whether the times of its commands may be recorded, each by itself. */
  default boolean hasCommandTimes() {
    return false;
  }

  /** The kind of work for messages, such as {@code fill}. Called by any thread. */
  default String describe() {
    return kind();
  }
}
