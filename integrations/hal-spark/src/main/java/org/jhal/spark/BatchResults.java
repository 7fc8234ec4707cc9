// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * The results of a partition, which are computed on demand. Nothing is opened for an empty
 * partition, and everything is released after the last result, after a failure, and at the end of
 * the task.
 *
 * <p>For one reader at a time. The task may end on another thread meanwhile, for example if Spark
 * reads on a separate thread: then the reader releases everything when it is done.
 */
final class BatchResults<O> implements Iterator<O> {
  private enum State {
    IDLE,
    /** The reader is inside. */
    READING,
    /** The task is over. */
    ENDED
  }

  private final AtomicReference<State> state = new AtomicReference<>(State.IDLE);
  private final Iterator<?> input;
  private final Supplier<BatchForm.Run<O>> opener;
  private final Consumer<Runnable> onEnd;
  private BatchForm.@Nullable Run<O> run;
  private @Nullable O ready;
  private boolean isOver;

  /**
   * Results.
   *
   * @param input the elements that they are computed from
   * @param opener begins, when the first result is requested and there is input
   * @param onEnd gets the callback for the end of the task
   */
  BatchResults(Iterator<?> input, Supplier<BatchForm.Run<O>> opener, Consumer<Runnable> onEnd) {
    this.input = input;
    this.opener = opener;
    this.onEnd = onEnd;
  }

  @Override
  public boolean hasNext() {
    if (ready == null && !isOver) {
      if (!state.compareAndSet(State.IDLE, State.READING)) {
        throw new HalException(
            Status.FAILED_PRECONDITION, "the results of a task are requested after its end");
      }
      isOver = true; // unless there is a result
      try {
        ready = compute();
        isOver = ready == null;
      } finally {
        if (isOver || !state.compareAndSet(State.READING, State.IDLE)) {
          close();
        }
      }
    }
    return ready != null;
  }

  private @Nullable O compute() {
    BatchForm.Run<O> open = run;
    if (open == null) {
      if (!input.hasNext()) {
        return null;
      }
      open = opener.get();
      run = open;
      onEnd.accept(this::end);
    }
    return open.next();
  }

  @Override
  public O next() {
    O result = hasNext() ? ready : null;
    if (result == null) {
      throw new NoSuchElementException("the results of the partition are over");
    }
    ready = null;
    return result;
  }

  /** The task is over. */
  private void end() {
    if (state.getAndSet(State.ENDED) == State.IDLE) {
      close();
    }
  }

  private void close() {
    if (run != null) {
      run.close();
    }
  }
}
