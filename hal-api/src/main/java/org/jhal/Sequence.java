package org.jhal;

import java.time.Duration;
import java.util.Objects;

/**
 * The usual timeline: steps of which each waits for the one before.
 *
 * <pre>{@code
 * try (Sequence steps = device.createSequence()) {
 *   steps.step((waits, signals) -> queue.upload(waits, signals, source, buffer, 0));
 *   steps.step((waits, signals) -> queue.dispatch(waits, signals, kernel, groups, args));
 *   steps.step((waits, signals) -> queue.readback(waits, signals, buffer, 0, target));
 *   steps.await(Duration.ofSeconds(5));
 * }
 * }</pre>
 *
 * <p>The steps may go to different queues and devices. The values on the timeline are 1, 2, 3, and
 * so on; {@link #last} and what {@link #step} returns let other work wait for a step. If a step
 * fails, so do all later ones, with the same failure (rule S3): a failed sequence is over.
 *
 * <p>For one thread at a time; only {@link #last} and the waits are for any thread.
 */
public final class Sequence implements AutoCloseable {
  /** Enqueues one operation. */
  @FunctionalInterface
  public interface Step {
    /**
     * Enqueues an operation that waits for {@code waits} and signals {@code signals}, as given, and
     * does nothing behind that: if it threw then, the operation would not count as a step.
     */
    void enqueue(Fence waits, Fence signals);
  }

  private final TimelineSemaphore timeline;
  private volatile Timepoint last; // written by the thread that calls step()
  private boolean isInStep; // used by the thread that calls step()

  Sequence(TimelineSemaphore timeline) {
    this.timeline = timeline;
    this.last = timeline.at(0);
  }

  /**
   * Enqueues a step behind the one before.
   *
   * @return the timepoint that the step reaches
   * @throws RuntimeException what {@code step} throws; then no step was added, and another may be
   *     tried
   * @throws HalException FAILED_PRECONDITION within a step of this sequence
   */
  public Timepoint step(Step step) {
    return step(Fence.NONE, step);
  }

  /**
   * Enqueues a step behind the one before and behind {@code others}; otherwise as {@link #step}.
   */
  public Timepoint step(Fence others, Step step) {
    Objects.requireNonNull(step, "step");
    Objects.requireNonNull(others, "others");
    if (isInStep) {
      throw new HalException(
          Status.FAILED_PRECONDITION, "a step within a step of " + this + " has no place");
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

  /** The timepoint of the last step; before the first, one that is reached. */
  public Timepoint last() {
    return last;
  }

  /**
   * Blocks until all steps so far are over.
   *
   * @throws HalException the failure of the first step that has failed; FAILED_PRECONDITION where
   *     nobody may wait, as {@link TimelineSemaphore#await}
   * @throws InterruptedException if the thread is interrupted; the steps go on
   */
  public void await() throws InterruptedException {
    last.awaitAll();
  }

  /**
   * Blocks until all steps so far are over, for at most {@code timeout}.
   *
   * @throws HalException DEADLINE_EXCEEDED when the time is up, with what the steps wait for; the
   *     failure of the first step that has failed
   * @throws InterruptedException if the thread is interrupted; the steps go on
   */
  public void await(Duration timeout) throws InterruptedException {
    last.awaitAll(timeout);
  }

  /**
   * Closes the timeline (rule S8): steps that still wait for one before them are cancelled. What is
   * issued goes on, and so does a step that waits for nothing but other timelines. To let all end,
   * {@link #await} first.
   */
  @Override
  public void close() {
    timeline.close();
  }

  @Override
  public String toString() {
    return "sequence up to " + last;
  }
}
