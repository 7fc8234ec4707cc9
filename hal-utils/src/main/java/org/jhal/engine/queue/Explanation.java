package org.jhal.engine.queue;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jhal.HalException;
import org.jhal.spi.OpenOperation;

/**
 * Builds the text that says what keeps a value from being reached (rule S10).
 *
 * <p>An operation that begins only once the value is reached would not raise it, with one exception
 * that is worth telling: one that waits for its own signal, if nobody else would raise it.
 */
final class Explanation {
  /** A queue that may have operations that would raise a value. */
  interface Source {
    /** Passes its open operations to {@code looker}, newest first, with no lock held. */
    void walkOpen(Consumer<Operation<?>> looker);
  }

  /** The queues of all open devices in this process. */
  private static final List<Source> SOURCES = new CopyOnWriteArrayList<>();

  /** Operations, of which the first few are described and the rest is only counted. */
  private static final class Told {
    private static final int MOST = 5;

    private final StringBuilder text = new StringBuilder();
    private int count;

    void add(Operation<?> operation) {
      if (count < MOST) {
        OpenOperation told = OperationReport.open(operation);
        if (told == null) {
          return; // it has just ended
        }
        text.append(count == 0 ? "" : "; or by ").append(told);
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
  private final Told able = new Told();
  private final Told inVain = new Told();

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
      queue.walkOpen(explanation::look);
    }
    return semaphore + " is at " + semaphore.currentValue() + explanation.finish();
  }

  /** Adds an operation if it would raise the value, also if it waits for its own signal. */
  private void look(Operation<?> operation) {
    for (int i = 0; i < operation.signalCount(); i++) {
      long signal = operation.signalValue(i);
      if (operation.signal(i) == semaphore && signal >= value) {
        if (!waitsFor(operation, value)) {
          able.add(operation);
        } else if (waitsFor(operation, signal)) {
          inVain.add(operation);
        }
      }
    }
  }

  /** Whether an operation begins only once the semaphore has reached {@code least}, or more. */
  private boolean waitsFor(Operation<?> operation, long least) {
    for (int i = 0; i < operation.waitCount(); i++) {
      OperationWait<?> wait = operation.wait(i);
      if (wait.semaphore() == semaphore && wait.value() >= least) {
        return true;
      }
    }
    return false;
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
