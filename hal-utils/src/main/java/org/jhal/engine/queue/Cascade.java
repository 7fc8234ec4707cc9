package org.jhal.engine.queue;

import java.lang.System.Logger.Level;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.jhal.driver.support.EngineThread;
import org.jspecify.annotations.Nullable;

/**
 * What one thread still has to do after it changed a semaphore: tell the waiters it removed, drain
 * the queues whose operations became ready, let go of the operations whose events were dropped.
 *
 * <p>Telling a waiter may change further semaphores. Such a nested change only adds to the list of
 * the change in progress, so a million dependants need no stack, and no lock is held while anybody
 * is told (rule K4).
 *
 * <p>Owned by its thread.
 */
public final class Cascade {
  private static final System.Logger LOG = System.getLogger(Cascade.class.getName());

  /**
   * Weak, so that threads which outlive the engine do not keep its class loader. One that has
   * something to do is on its thread's stack.
   */
  private static final ThreadLocal<@Nullable WeakReference<Cascade>> CURRENT = new ThreadLocal<>();

  private @Nullable WaitNode firstReleased;
  private @Nullable WaitNode lastReleased;
  private final List<DeferredWorkQueue<?>> readyQueues = new ArrayList<>();
  private final List<Operation<?>> dropped = new ArrayList<>();
  private final Settling.Stack settling = new Settling.Stack();
  private boolean isRunning;
  private int callbackDepth;

  private Cascade() {}

  /** The calling thread's. */
  public static Cascade current() {
    WeakReference<Cascade> known = CURRENT.get();
    Cascade cascade = known == null ? null : known.get();
    if (cascade == null) {
      cascade = new Cascade();
      CURRENT.set(new WeakReference<>(cascade));
    }
    return cascade;
  }

  /**
   * Adds a waiter that was removed from its semaphore. May be called with the semaphore's lock
   * held.
   */
  void addReleased(WaitNode node) {
    if (lastReleased == null) {
      firstReleased = node;
    } else {
      lastReleased.nextReleased = node;
    }
    lastReleased = node;
  }

  /**
   * Adds an operation whose reference is to be dropped. May be called with a semaphore's lock held.
   */
  void addDropped(Operation<?> operation) {
    dropped.add(operation);
  }

  /** Adds a queue that has ready operations. */
  void addReady(DeferredWorkQueue<?> queue) {
    if (!readyQueues.contains(queue)) {
      readyQueues.add(queue);
    }
  }

  /**
   * Works everything off, unless this thread is doing so already further up its stack. Call with no
   * lock held.
   */
  void run() {
    if (isRunning) {
      return;
    }
    isRunning = true;
    try {
      while (true) {
        WaitNode node = firstReleased;
        if (node != null) {
          firstReleased = node.nextReleased;
          if (firstReleased == null) {
            lastReleased = null;
          }
          node.nextReleased = null;
          step(node);
        } else if (!dropped.isEmpty()) {
          dropped.remove(dropped.size() - 1).release();
        } else if (!readyQueues.isEmpty()) {
          readyQueues.remove(readyQueues.size() - 1).drainAfterSignal();
        } else {
          return;
        }
      }
    } catch (Throwable t) { // an error in a line of the engine, such as a lack of stack
      handOver();
      throw t;
    } finally {
      isRunning = false;
    }
  }

  /** Lets another thread do what is left, since this one may never come here again. */
  private void handOver() {
    Cascade rest = new Cascade();
    rest.firstReleased = firstReleased;
    rest.lastReleased = lastReleased;
    rest.readyQueues.addAll(readyQueues);
    rest.dropped.addAll(dropped);
    firstReleased = null;
    lastReleased = null;
    readyQueues.clear();
    dropped.clear();
    Runnable body =
        () -> {
          CURRENT.set(new WeakReference<>(rest));
          rest.run();
        };
    new EngineThread("jhal-cascade", body).start();
  }

  private static void step(WaitNode node) {
    try {
      node.released();
    } catch (Throwable t) { // the others still have to be told
      LOG.log(Level.ERROR, "a waiter failed while it was released", t);
    }
  }

  /** For {@link Settling} on this thread. */
  Settling.Stack settling() {
    return settling;
  }

  /** Marks that user code runs on this thread and may not close a device. */
  public void enterCallback() {
    callbackDepth++;
  }

  public void leaveCallback() {
    callbackDepth--;
  }

  /** Whether the thread is inside a user's callback. */
  public boolean isInCallback() {
    return callbackDepth > 0;
  }
}
