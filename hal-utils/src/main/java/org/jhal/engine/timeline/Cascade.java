// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.timeline;

import com.google.common.base.Throwables;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
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
  /** Weak, so that a thread which outlives the engine does not keep its class loader alive. */
  private static final ThreadLocal<@Nullable WeakReference<Cascade>> CURRENT = new ThreadLocal<>();

  /**
   * Runs callbacks of users on the calling thread, or on another one if that must not run any. They
   * throw nothing.
   */
  public static final Executor CALLBACKS = Cascade::callBack;

  // Waiters to notify, in order, chained by nextReleased.
  private @Nullable WaitNode firstReleased;
  private @Nullable WaitNode lastReleased;

  private final List<ReadyQueue> readyQueues = new ArrayList<>();
  private boolean isRunning; // run() is on this thread's stack
  private int callbackDepth; // how many callbacks of users are on this thread's stack

  /** Who runs callbacks in place of this thread, or null; see {@link #leaveCallbacksTo}. */
  private @Nullable Executor aside;

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

  /** Adds a waiter to notify, which is in no semaphore. The caller may hold a semaphore's lock. */
  public void addReleased(WaitNode node) {
    if (lastReleased == null) {
      firstReleased = node;
    } else {
      lastReleased.nextReleased = node;
    }
    lastReleased = node;
  }

  /** Adds a queue of which operations became ready, unless it is among them. */
  public void addReady(ReadyQueue queue) {
    if (!readyQueues.contains(queue)) {
      readyQueues.add(queue);
    }
  }

  /**
   * Processes everything that was added, including what is added meanwhile. Does nothing if this
   * thread is already in this method further up its stack. Must be called with no lock held.
   *
   * <p>An error in a step of a queue loses the device of that queue (rule E2), and the others go
   * on. An error elsewhere is thrown once all is done.
   */
  public void run() {
    if (isRunning) {
      return;
    }
    isRunning = true;
    Throwable thrown = null;
    try {
      while (firstReleased != null || !readyQueues.isEmpty()) {
        WaitNode node = takeReleased();
        if (node != null) {
          ReadyQueue queue = node.queue;
          try {
            node.released(this);
          } catch (Throwable t) {
            if (queue == null) {
              thrown = t;
            } else {
              queue.brokenBy = t;
            }
          }
        } else {
          ReadyQueue queue = readyQueues.remove(readyQueues.size() - 1);
          try {
            queue.drainAfterSignal();
          } catch (Throwable t) {
            queue.brokenBy = t;
          }
        }
      }
    } finally {
      isRunning = false;
    }
    if (thrown != null) {
      Throwables.throwIfUnchecked(thrown); // it always is
    }
  }

  /** Whether {@link #run} is under way, and has waiters to notify before ready queues go on. */
  public boolean notifiesFirst() {
    return isRunning && firstReleased != null;
  }

  private @Nullable WaitNode takeReleased() {
    WaitNode node = firstReleased;
    if (node != null) {
      firstReleased = node.nextReleased;
      if (firstReleased == null) {
        lastReleased = null;
      }
      node.nextReleased = null;
    }
    return node;
  }

  // Callbacks of users that this thread must not run.

  /**
   * Until the next call, this thread runs no callbacks of users, but leaves them to {@code
   * another}: it waits itself, perhaps with locks of its caller held, or it has the drainer's role
   * (rule S7). If {@code another} is null, it runs them.
   *
   * @param another runs one task at a time, and has no such role
   * @return what was in force before
   */
  public @Nullable Executor leaveCallbacksTo(@Nullable Executor another) {
    Executor before = aside;
    aside = another;
    return before;
  }

  /**
   * Has another thread notify a waiter, which would run callbacks, if this thread must not. Returns
   * whether that is so. Waiters that were left in this way are notified in the order of the calls.
   */
  public boolean leaves(WaitNode node) {
    Executor another = aside;
    if (another == null) {
      return false;
    }
    Runnable notice = () -> notify(node);
    try {
      another.execute(notice);
    } catch (RejectedExecutionException e) { // the device is closed, or no thread can be started
      return startNotice(notice);
    }
    return true;
  }

  /** Returns false if no thread can be started: this one has to notify the waiter after all. */
  private static boolean startNotice(Runnable notice) {
    try {
      new EngineThread("jhal-callback", notice).start();
      return true;
    } catch (OutOfMemoryError e) {
      return false;
    }
  }

  private static void notify(WaitNode node) {
    Cascade cascade = current();
    cascade.addReleased(node);
    cascade.run();
  }

  /** Runs a callback that waits for no timeline, unless this thread must not. */
  private static void callBack(Runnable callback) {
    Cascade cascade = current();
    Callback waiter = new Callback(callback);
    if (!cascade.leaves(waiter)) {
      waiter.released(cascade);
    }
  }

  private static final class Callback extends WaitNode {
    private final Runnable body;

    Callback(Runnable body) {
      super(null);
      this.body = body;
    }

    @Override
    public void released(Cascade cascade) {
      String before = cascade.enterCallback("a callback");
      try {
        body.run();
      } finally {
        cascade.leaveCallback(before);
      }
    }
  }

  /**
   * Marks that user code runs on this thread, which may neither wait nor close a device until
   * {@link #leaveCallback}: waiters that this thread has yet to notify would wait for it (rule S7).
   *
   * @param what it is, such as {@code a callback}
   * @return what to pass to {@link #leaveCallback}
   */
  public @Nullable String enterCallback(String what) {
    String before = HostWaits.refuse(what);
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
