package org.jhal.engine.queue;

import java.lang.System.Logger.Level;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.jhal.driver.support.EngineThread;
import org.jspecify.annotations.Nullable;

/**
 * The work that a thread has left after it changed a semaphore: notify the waiters that it removed,
 * release the operations whose events were dropped, and drain the queues whose operations became
 * ready.
 *
 * <p>Notifying a waiter may change further semaphores. Such a nested change only appends to the
 * cascade in progress, so a million dependants need no stack. No lock is held while a waiter is
 * notified (rule K4).
 *
 * <p>Confined to its thread.
 */
public final class Cascade {
  private static final System.Logger LOG = System.getLogger(Cascade.class.getName());

  /**
   * Weak, so that a thread which outlives the engine does not keep the engine's class loader alive.
   * A cascade in use is strongly reachable from its thread's stack.
   */
  private static final ThreadLocal<@Nullable WeakReference<Cascade>> CURRENT = new ThreadLocal<>();

  // Waiters to notify, in order, chained by nextReleased.
  private @Nullable WaitNode firstReleased;
  private @Nullable WaitNode lastReleased;

  /**
   * The waiter of which {@link WaitNode#released} is about to begin; that clears it by a plain
   * assignment, without a call. If there was no stack for the call, it goes back to the others.
   */
  @Nullable WaitNode beginning;

  private final List<DeferredWorkQueue<?>> readyQueues = new ArrayList<>();
  private final List<Operation<?>> dropped = new ArrayList<>();
  private final Settling.Stack settling = new Settling.Stack();
  private boolean isRunning; // run() is on this thread's stack
  private int callbackDepth; // how many callbacks of users are on this thread's stack

  private Cascade() {}

  /** The calling thread's cascade. */
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
   * Adds a waiter to notify. The caller has removed it from its semaphore, and may still hold the
   * semaphore's lock.
   */
  void addReleased(WaitNode node) {
    if (lastReleased == null) {
      firstReleased = node;
    } else {
      lastReleased.nextReleased = node;
    }
    lastReleased = node;
  }

  /** Adds a reference to release. The caller may hold a semaphore's lock. */
  void addDropped(Operation<?> operation) {
    dropped.add(operation);
  }

  /** Adds a queue to drain. */
  void addReady(DeferredWorkQueue<?> queue) {
    if (!readyQueues.contains(queue)) {
      readyQueues.add(queue);
    }
  }

  /**
   * Processes everything that was added, including what is added meanwhile. Does nothing if this
   * thread is already in this method further up its stack. Must be called with no lock held.
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
          beginning = node;
          step(node);
        } else if (!dropped.isEmpty()) {
          dropped.remove(dropped.size() - 1).release();
        } else if (!readyQueues.isEmpty()) {
          readyQueues.remove(readyQueues.size() - 1).drainAfterSignal();
        } else {
          return;
        }
      }
    } catch (Throwable t) { // an error in the engine's own code, such as a stack overflow
      WaitNode untold = beginning;
      if (untold != null) {
        beginning = null;
        untold.nextReleased = firstReleased;
        firstReleased = untold;
        if (lastReleased == null) {
          lastReleased = untold;
        }
      }
      handOver();
      throw t;
    } finally {
      isRunning = false;
    }
  }

  /**
   * Leaves the rest to a new thread, since this one may never run a cascade again. If there is no
   * new thread to be had, the rest stays here, in case it does.
   */
  private void handOver() {
    Cascade rest = new Cascade();
    rest.firstReleased = firstReleased;
    rest.lastReleased = lastReleased;
    rest.readyQueues.addAll(readyQueues);
    rest.dropped.addAll(dropped);
    Runnable body =
        () -> {
          CURRENT.set(new WeakReference<>(rest));
          rest.run();
        };
    new EngineThread("jhal-cascade", body).start();
    firstReleased = null;
    lastReleased = null;
    readyQueues.clear();
    dropped.clear();
  }

  private void step(WaitNode node) {
    try {
      node.released(this);
    } catch (Throwable t) {
      if (beginning != null) {
        throw t;
      }
      // The other waiters still have to be notified.
      Failures.log(LOG, Level.ERROR, "a waiter failed while it was released", t);
    }
  }

  /** The stack of {@link Settling} on this thread. */
  Settling.Stack settling() {
    return settling;
  }

  /**
   * Marks that user code runs on this thread. Until {@link #leaveCallback} the thread may not close
   * a device.
   */
  public void enterCallback() {
    callbackDepth++;
  }

  public void leaveCallback() {
    callbackDepth--;
  }

  /** Whether user code is running on this thread. */
  public boolean isInCallback() {
    return callbackDepth > 0;
  }
}
