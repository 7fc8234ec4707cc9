package org.jhal.engine.queue;

import java.lang.System.Logger.Level;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.EngineThread;
import org.jhal.spi.HostWaits;
import org.jspecify.annotations.Nullable;

/**
 * The work that a thread has left after it changed a semaphore: notify the waiters that it removed,
 * and drain the queues whose operations became ready.
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
   * A cascade in use is strongly reachable from its thread's stack, and one that an error has ended
   * from {@link #LEFT}.
   */
  private static final ThreadLocal<@Nullable WeakReference<Cascade>> CURRENT = new ThreadLocal<>();

  /** The cascades that an error has ended with work left, which is for another thread. */
  private static final class Left {
    volatile @Nullable Cascade first; // written with this object's monitor held
  }

  private static final Left LEFT = new Left();

  private @Nullable Cascade nextLeft; // guarded by LEFT

  private boolean isLeft; // an error has ended it; its thread then begins another one

  // Waiters to notify, in order, chained by nextReleased. Not private: EngineSemaphore appends to
  // them without a call.
  @Nullable WaitNode firstReleased;
  @Nullable WaitNode lastReleased;

  /**
   * The waiter of which {@link WaitNode#released} is about to begin; that clears it by a plain
   * assignment, without a call. If there was no stack for the call, it goes back to the others.
   */
  @Nullable WaitNode beginning;

  private List<ReadyQueue> readyQueues = new ArrayList<>();
  private final List<Producer> settling = new ArrayList<>();
  private boolean isRunning; // run() is on this thread's stack
  private int callbackDepth; // how many callbacks of users are on this thread's stack

  private Cascade() {}

  /** The calling thread's cascade. */
  public static Cascade current() {
    WeakReference<Cascade> known = CURRENT.get();
    Cascade cascade = known == null ? null : known.get();
    if (cascade == null || cascade.isLeft) {
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

  /** Adds a queue to drain. */
  void addReady(ReadyQueue queue) {
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
        } else if (!readyQueues.isEmpty()) {
          readyQueues.remove(readyQueues.size() - 1).drainAfterSignal();
        } else {
          break;
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
      // Without a call, since there may be no stack left for one.
      isLeft = true;
      synchronized (LEFT) {
        nextLeft = LEFT.first;
        LEFT.first = this;
      }
      throw t;
    } finally {
      isRunning = false;
    }
    runLeft();
  }

  /**
   * Has new threads run what errors have ended. Called by the threads that look from time to time,
   * and by each that ends a cascade.
   */
  public static void runLeft() {
    if (LEFT.first == null) {
      return;
    }
    while (true) {
      Cascade left;
      synchronized (LEFT) {
        left = LEFT.first;
        if (left == null) {
          return;
        }
        LEFT.first = left.nextLeft;
      }
      try {
        left.handOver();
      } catch (Throwable t) { // too many threads, or too little stack; the next call tries again
        synchronized (LEFT) {
          left.nextLeft = LEFT.first;
          LEFT.first = left;
        }
        return;
      }
    }
  }

  /** Starts a thread that runs the rest of this. */
  private void handOver() {
    Cascade rest = new Cascade();
    rest.firstReleased = firstReleased;
    rest.lastReleased = lastReleased;
    rest.readyQueues = readyQueues;
    Runnable body =
        () -> {
          CURRENT.set(new WeakReference<>(rest));
          rest.run();
        };
    new EngineThread("jhal-cascade", body).start();
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

  /**
   * The stack of {@link Settling} on this thread. It replaces recursion, since a chain of producers
   * may be long.
   */
  List<Producer> settling() {
    return settling;
  }

  /**
   * Marks that user code runs on this thread, which may neither wait nor close a device until
   * {@link #leaveCallback}: waiters that this thread has yet to notify would wait for it (rule S7).
   *
   * @param what it is, such as {@code a callback}
   * @return what to pass to {@link #leaveCallback}
   */
  public @Nullable String enterCallback(String what) {
    String before = HostWaits.refuse(what); // first: there may be no stack left for a call
    callbackDepth++;
    return before;
  }

  /** As {@link #enterCallback}, for a host call, which may wait: nothing waits for its thread. */
  public @Nullable String enterHostCall() {
    String before = HostWaits.allow();
    callbackDepth++;
    return before;
  }

  public void leaveCallback(@Nullable String before) {
    callbackDepth--;
    HostWaits.restore(before);
  }

  /**
   * Refuses what waits and may not be done in user code, not even in a host call.
   *
   * @throws HalException FAILED_PRECONDITION if user code is running on this thread
   */
  public static void checkOutside(String what, String why) {
    HostWaits.check(what);
    if (current().callbackDepth > 0) {
      throw new HalException(
          Status.FAILED_PRECONDITION,
          what
              + " in a host call on thread "
              + Thread.currentThread().getName()
              + " is refused: "
              + why
              + "; do it on a thread of the program");
    }
  }
}
