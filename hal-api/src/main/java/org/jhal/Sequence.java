// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The usual form of a timeline: steps, each of which waits for the previous one.
 *
 * <pre>{@code
 * try (Sequence sequence = device.createSequence()) {
 *   QueueSteps steps = sequence.on(device.queue(0));
 *   DeviceBuffer buffer = steps.uploading(HostMemory.of(numbers));
 *   steps.dispatch(kernel, kernel.covering(numbers.length), Args.of(numbers.length, buffer));
 *   steps.readback(buffer, HostMemory.of(numbers));
 *   sequence.await(Duration.ofSeconds(5));
 * }
 * }</pre>
 *
 * <p>{@link #on} has the common operations; {@link #step} takes any operation, on any queue of any
 * device. The values on the timeline are 1, 2, 3, and so on. Other work can wait for a step through
 * {@link #last} or the result of {@link #step}. If a step fails, so do all later ones, with the
 * same failure (rule S3): a failed sequence cannot continue.
 *
 * <p>A sequence owns the buffers that its steps allocate ({@link QueueSteps#allocate}, {@link
 * QueueSteps#uploading}).
 *
 * <p>Only one thread at a time may add steps. Any thread may call {@link #last}, wait, and close
 * it.
 */
public final class Sequence implements AutoCloseable {
  /** Enqueues one operation of a sequence. */
  @FunctionalInterface
  public interface Step {
    /**
     * Enqueues one operation that waits for {@code waits} and signals {@code signals}, as passed.
     * It must do nothing after that: if it threw then, the operation would not count as a step.
     */
    void enqueue(Fence waits, Fence signals);
  }

  private final TimelineSemaphore timeline;
  private volatile Timepoint last; // written by the thread that calls step()
  private boolean isInStep; // used by the thread that calls step()
  private boolean isFinished; // used by the thread that calls step()
  private final List<DeviceBuffer> owned = new ArrayList<>(); // guarded by itself
  private boolean isClosed; // guarded by owned, to which nothing is added afterwards

  Sequence(TimelineSemaphore timeline) {
    this.timeline = timeline;
    this.last = timeline.at(0);
  }

  /**
   * Returns the common operations of {@code queue} as steps of this sequence. Steps on several
   * queues, also of different devices, follow one another in the order in which they are added.
   */
  public QueueSteps on(DeviceQueue queue) {
    return new QueueSteps(this, Objects.requireNonNull(queue, "queue"));
  }

  /**
   * Enqueues a step after the previous one.
   *
   * @return the timepoint that the step reaches
   * @throws RuntimeException what {@code step} throws; in that case no step was added, and another
   *     may be tried
   * @throws HalException FAILED_PRECONDITION if called within a step of this sequence, or after
   *     {@link #finish}
   */
  public Timepoint step(Step step) {
    return step(Fence.NONE, step);
  }

  /**
   * Enqueues a step that waits for the previous one and for {@code others}; otherwise like {@link
   * #step(Step)}.
   */
  public Timepoint step(Fence others, Step step) {
    Objects.requireNonNull(step, "step");
    Objects.requireNonNull(others, "others");
    if (isInStep) {
      throw new HalException(
          Status.FAILED_PRECONDITION, "a step within a step of " + this + " has no place");
    }
    if (isFinished) {
      throw new HalException(Status.FAILED_PRECONDITION, "a step after the end of " + this);
    }
    Timepoint before = last;
    Timepoint next = timeline.at(before.value() + 1);
    isInStep = true;
    try {
      step.enqueue(others.size() == 0 ? before : before.and(others), next);
    } finally {
      isInStep = false;
    }
    last = next;
    return next;
  }

  /** Returns the timepoint of the last step; before the first step, one that is reached. */
  public Timepoint last() {
    return last;
  }

  /**
   * Blocks until all steps so far have ended.
   *
   * @throws HalException the failure of the first step that has failed; FAILED_PRECONDITION on a
   *     thread that must not wait, as {@link TimelineSemaphore#await(long)}
   * @throws InterruptedException if the thread is interrupted; the steps go on
   */
  public void await() throws InterruptedException {
    last.awaitAll();
  }

  /**
   * Blocks until all steps so far have ended, for at most {@code timeout}; if that is zero or less,
   * only checks.
   *
   * @throws HalException DEADLINE_EXCEEDED when the time is up, with what the steps wait for;
   *     otherwise as {@link #await()}
   * @throws InterruptedException if the thread is interrupted; the steps go on
   */
  public void await(Duration timeout) throws InterruptedException {
    last.awaitAll(timeout);
  }

  /**
   * Returns a future that completes with {@code result} when all steps so far have ended, and
   * closes the sequence then. No step may be added after this.
   *
   * <pre>{@code
   * float[] sums = new float[n];
   * steps.readback(buffer, HostMemory.of(sums));
   * CompletableFuture<float[]> future = sequence.finish(sums);
   * }</pre>
   *
   * <p>The future completes exceptionally with the failure of the first step that has failed. It
   * belongs to the caller. However it completes, also if the caller cancels it, the sequence is
   * closed as {@link #close} describes: steps that have not been issued are cancelled, and the
   * others go on, so host memory that they write may still be written. Dependent actions run under
   * the rules for {@link TimepointCallback}s, unless they are asynchronous.
   *
   * @throws HalException FAILED_PRECONDITION if the sequence is closed
   */
  public <T extends @Nullable Object> CompletableFuture<T> finish(T result) {
    return end(result, null);
  }

  /**
   * As {@link #finish(Object)}, but the future waits for at most {@code timeout}. Then it completes
   * exceptionally with a {@link HalException} of status DEADLINE_EXCEEDED, like {@link
   * #await(Duration)}.
   *
   * @throws HalException FAILED_PRECONDITION if the sequence is closed
   */
  public <T extends @Nullable Object> CompletableFuture<T> finish(T result, Duration timeout) {
    Objects.requireNonNull(timeout, "timeout");
    return end(result, timeout);
  }

  /** Finishes; a null {@code timeout} means no limit. */
  private <T extends @Nullable Object> CompletableFuture<T> end(
      T result, @Nullable Duration timeout) {
    synchronized (owned) {
      checkOpen();
    }
    CompletableFuture<T> future = new CompletableFuture<>();
    CompletableFuture<@Nullable Void> end = FenceWait.whenAll(last, timeout);
    isFinished = true;
    var ended =
        end.whenComplete(
            (nothing, failure) -> {
              try {
                close(); // first, so that all is released when the caller sees the result
              } finally {
                if (failure == null) {
                  future.complete(result);
                } else {
                  future.completeExceptionally(failure);
                }
              }
            });
    // If the caller completes it, this ends the wait, which closes the sequence.
    var cancelled = future.whenComplete((value, failure) -> end.cancel(false));
    return future;
  }

  /** Runs {@code work} in a sequence of its own; a null {@code timeout} means no limit. */
  static <T extends @Nullable Object> CompletableFuture<T> run(
      DeviceQueue queue, @Nullable Duration timeout, Function<QueueSteps, T> work) {
    Objects.requireNonNull(work, "work");
    Sequence sequence = queue.device().createSequence();
    try {
      return sequence.end(work.apply(sequence.on(queue)), timeout);
    } catch (Throwable t) {
      sequence.close();
      throw t;
    }
  }

  /**
   * Makes the sequence close {@code buffer} with itself.
   *
   * @throws HalException FAILED_PRECONDITION if the sequence is closed; the buffer is closed then
   */
  DeviceBuffer own(DeviceBuffer buffer) {
    try {
      synchronized (owned) {
        checkOpen();
        owned.add(buffer);
      }
      return buffer;
    } catch (Throwable t) {
      buffer.close();
      throw t;
    }
  }

  private void checkOpen() {
    if (isClosed) {
      throw new HalException(Status.FAILED_PRECONDITION, this + " is closed");
    }
  }

  /**
   * Closes the timeline (rule S8): steps that still wait for a previous one are cancelled. Issued
   * steps go on, and so does a step that waits only for other timelines. To let all steps end, call
   * {@link #await} first. Also closes the buffers that the steps allocated; their memory is freed
   * when no operation uses it any more.
   */
  @Override
  public void close() {
    timeline.close();
    List<DeviceBuffer> buffers;
    synchronized (owned) {
      isClosed = true;
      buffers = List.copyOf(owned);
      owned.clear();
    }
    buffers.forEach(DeviceBuffer::close);
  }

  @Override
  public String toString() {
    return "sequence up to " + last;
  }
}
