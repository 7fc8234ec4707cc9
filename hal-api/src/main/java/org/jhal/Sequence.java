package org.jhal;

import java.time.Duration;
import java.util.Objects;

/**
 * The usual form of a timeline: steps, each of which waits for the previous one.
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
 * so on. Other work can wait for a step through {@link #last} or the result of {@link #step}. If a
 * step fails, so do all later ones, with the same failure (rule S3): a failed sequence cannot
 * continue.
 *
 * <p>Only one thread at a time may add steps. Any thread may call {@link #last} and wait.
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

  Sequence(TimelineSemaphore timeline) {
    this.timeline = timeline;
    this.last = timeline.at(0);
  }

  /**
   * Enqueues a step after the previous one.
   *
   * @return the timepoint that the step reaches
   * @throws RuntimeException what {@code step} throws; in that case no step was added, and another
   *     may be tried
   * @throws HalException FAILED_PRECONDITION if called within a step of this sequence
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
   * Closes the timeline (rule S8): steps that still wait for a previous one are cancelled. Issued
   * steps go on, and so does a step that waits only for other timelines. To let all steps end, call
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
