// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import java.util.Arrays;
import java.util.Objects;
import org.jhal.HalException;
import org.jhal.driver.CommandList;
import org.jhal.driver.NativeStream;
import org.jhal.driver.StreamBatch;
import org.jhal.driver.StreamSteps;
import org.jhal.driver.Submission;
import org.jhal.driver.UncoveredWorkException;
import org.jspecify.annotations.Nullable;

/**
 * The batch of the operation that is being issued. The {@link Issuer} sets the waits and the event,
 * the operation's {@link Work} adds what it does and submits it.
 *
 * <p>Each queue has one, which the drainer uses.
 */
public final class Batch<E> implements StreamBatch<E> {
  private @Nullable PooledEvent<E>[] waits = newWaits(4); // each with a reference
  private int waitCount;
  private @Nullable CommandList commands;
  private @Nullable Allocation allocation;
  private @Nullable Deallocation deallocation;
  private @Nullable Submission submission;
  private @Nullable E event;
  private boolean mayHaveReached;

  Batch() {}

  @SuppressWarnings("unchecked") // arrays have no type arguments
  private static <E> @Nullable PooledEvent<E>[] newWaits(int length) {
    return (PooledEvent<E>[]) new PooledEvent<?>[length];
  }

  // For the issuer.

  /** Adds a wait, and takes over the caller's reference. */
  void addWait(PooledEvent<E> wait) {
    if (waitCount == waits.length) {
      waits = Arrays.copyOf(waits, 2 * waitCount);
    }
    waits[waitCount++] = wait;
  }

  void setEvent(E recorded) {
    event = recorded;
  }

  boolean hasWaits() {
    return waitCount > 0;
  }

  /** Whether some part of it may be in the stream. */
  boolean mayHaveReached() {
    return mayHaveReached;
  }

  /** Submits the waits and the event alone. */
  @Nullable Throwable submitWithoutWork(NativeStream<E> stream) {
    clearWork();
    return submitTo(stream);
  }

  /** Makes it empty, and releases the events to wait for. */
  void clear() {
    clearWork();
    event = null;
    mayHaveReached = false;
    int count = waitCount;
    waitCount = 0;
    for (int i = 0; i < count; i++) {
      PooledEvent<E> wait = Objects.requireNonNull(waits[i]);
      waits[i] = null;
      wait.release();
    }
  }

  private void clearWork() {
    commands = null;
    allocation = null;
    deallocation = null;
    submission = null;
  }

  // For the work. The work is added first; then the batch is submitted.

  /** Adds commands. */
  public Batch<E> issue(CommandList issued, Submission by) {
    commands = issued;
    submission = by;
    return this;
  }

  /** Adds an allocation. */
  public Batch<E> allocate(Allocation allocated, Submission by) {
    allocation = allocated;
    submission = by;
    return this;
  }

  /** Adds memory to free. */
  public Batch<E> free(Deallocation freed, Submission by) {
    deallocation = freed;
    submission = by;
    return this;
  }

  /** Submits all of it; see {@link NativeStream#submit}. */
  public @Nullable Throwable submitTo(NativeStream<E> stream) {
    mayHaveReached = true;
    try {
      return stream.submit(this);
    } catch (HalException nothing) {
      mayHaveReached = false;
      throw nothing;
    }
  }

  /** Submits the waits alone, for work that reaches streams by other calls. */
  public void submitWaits(NativeStream<E> stream) {
    mayHaveReached = true;
    StreamSteps<E> steps = new StreamSteps<>(stream);
    for (int i = 0; i < waitCount; i++) {
      try {
        steps.waitEvent(waitEvent(i));
      } catch (HalException e) {
        throw new UncoveredWorkException("waitEvent", e);
      }
    }
  }

  /**
   * Submits the event alone, behind what has reached the stream by other calls.
   *
   * @param failure why these have failed, if they have
   */
  public void submitEvent(NativeStream<E> stream, @Nullable Throwable failure) {
    try {
      new StreamSteps<>(stream).recordEvent(Objects.requireNonNull(event));
    } catch (HalException e) {
      throw UncoveredWorkException.unrecorded(e, failure);
    }
  }

  // For the driver.

  @Override
  public int waitCount() {
    return waitCount;
  }

  @Override
  public E waitEvent(int index) {
    return Objects.requireNonNull(waits[Objects.checkIndex(index, waitCount)]).handle;
  }

  @Override
  public @Nullable CommandList commands() {
    return commands;
  }

  @Override
  public @Nullable Allocation allocation() {
    return allocation;
  }

  @Override
  public @Nullable Deallocation deallocation() {
    return deallocation;
  }

  @Override
  public Submission submission() {
    return Objects.requireNonNull(submission, "the batch has no work");
  }

  @Override
  public @Nullable E event() {
    return event;
  }
}
