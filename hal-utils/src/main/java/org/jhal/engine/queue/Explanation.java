package org.jhal.engine.queue;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jhal.HalException;
import org.jhal.spi.OpenOperation;
import org.jspecify.annotations.Nullable;

/**
 * Builds the text that says what keeps a value from being reached (rule S10).
 *
 * <p>An operation that begins only once the value is reached would not raise it, with one exception
 * that is worth reporting: one that waits for its own signal, if no other one would raise it.
 */
final class Explanation {
  /** A queue that may have operations that would raise a value. */
  interface Source {
    /** Adds those of its open operations that would raise {@code semaphore} to {@code value}. */
    void explain(EngineSemaphore semaphore, long value, Explanation explanation);
  }

  /** The queues of all open devices in this process. */
  private static final List<Source> SOURCES = new CopyOnWriteArrayList<>();

  /** Operations, of which the first few are described and the rest is only counted. */
  private static final class Listing {
    private static final int MOST = 5;

    private final StringBuilder text = new StringBuilder();
    private int count;

    void add(Supplier<@Nullable OpenOperation> operation) {
      if (count < MOST) {
        OpenOperation described = operation.get();
        if (described == null) {
          return; // it has just ended
        }
        text.append(count == 0 ? "" : "; or by ").append(described);
      }
      count++;
    }

    @Override
    public String toString() {
      return text + (count > MOST ? "; or by " + (count - MOST) + " more" : "");
    }
  }

  private final EngineSemaphore semaphore;
  private final long value;
  private final Listing able = new Listing();
  private final Listing inVain = new Listing();

  private Explanation(EngineSemaphore semaphore, long value) {
    this.semaphore = semaphore;
    this.value = value;
  }

  static void addSource(Source queue) {
    SOURCES.add(queue);
  }

  static void removeSource(Source queue) {
    SOURCES.remove(queue);
  }

  static String of(EngineSemaphore semaphore, long value) {
    HalException failed = semaphore.over();
    if (failed != null) {
      return semaphore + " has failed or was closed: " + failed;
    }
    Explanation explanation = new Explanation(semaphore, value);
    for (Source queue : SOURCES) {
      queue.explain(semaphore, value, explanation);
    }
    return semaphore + " is at " + semaphore.currentValue() + explanation.finish();
  }

  /** Adds an operation that would raise the value. */
  void add(Supplier<@Nullable OpenOperation> operation) {
    able.add(operation);
  }

  /** Adds one that would, but waits for its own signal. */
  void addInVain(Supplier<@Nullable OpenOperation> operation) {
    inVain.add(operation);
  }

  private String finish() {
    String raised = "; to be raised to " + value + " by ";
    if (able.count > 0) {
      return raised + able;
    }
    return switch (inVain.count) {
      case 0 -> ", and no open operation would raise it to " + value;
      case 1 -> raised + inVain + ": promised only by itself";
      default -> raised + inVain + ": promised only by operations that wait for it themselves";
    };
  }
}
