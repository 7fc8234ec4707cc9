// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.timeline;

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

  /** The waiters that threads could not notify, mostly as their stack was too short. */
  private static final class Left {
    // Chained by nextReleased. Written with this object's monitor held.
    volatile @Nullable WaitNode first;
  }

  private static final Left LEFT = new Left();

  /**
   * Runs callbacks of users on the calling thread, or on another one if that must not run any. They
   * throw nothing.
   */
  public static final Executor CALLBACKS = Cascade::callBack;

  /** Made early: a lambda that is linked for the first time without stack never works again. */
  private static final Runnable NOTIFY_LEFT = Cascade::notifyLeft;

  // Waiters to notify, in order, chained by nextReleased. Not private: Timeline appends to them
  // without a call.
  @Nullable WaitNode firstReleased;
  @Nullable WaitNode lastReleased;

  /**
   * The queue of which a step has begun, or null. The step sets it first, by a plain assignment,
   * without a call: an error that comes later breaks the queue.
   */
  public @Nullable Broken stepOf;

  private final List<ReadyQueue> readyQueues = new ArrayList<>();
  private final List<Producer> settling = new ArrayList<>();
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

  /** Adds a queue to drain. */
  public void addReady(ReadyQueue queue) {
    if (!readyQueues.contains(queue)) {
      readyQueues.add(queue);
    }
  }

  /**
   * Processes everything that was added, including what is added meanwhile. Does nothing if this
   * thread is already in this method further up its stack. Must be called with no lock held.
   */
  public void run() {
    if (isRunning) {
      return;
    }
    isRunning = true;
    try {
      while (firstReleased != null || !readyQueues.isEmpty()) {
        WaitNode node = firstReleased;
        if (node != null) {
          firstReleased = node.nextReleased;
          if (firstReleased == null) {
            lastReleased = null;
          }
          node.nextReleased = null;
        }
        stepOf = null;
        try {
          if (node != null) {
            node.released(this);
          } else {
            readyQueues.remove(readyQueues.size() - 1).drainAfterSignal(this);
          }
        } catch (Throwable t) { // an error in the engine's own code, such as a stack overflow
          // Without a call, since there may be no stack left for one. What is left goes to another
          // thread, or it would lose more devices. The issue threads of the ready queues look at
          // them within a second.
          Broken queue = stepOf;
          WaitNode last = lastReleased;
          if (queue != null) {
            queue.by = t; // its device is lost
          } else if (node != null) { // its step may be repeated
            node.nextReleased = firstReleased;
            firstReleased = node;
            last = last == null ? node : last;
          }
          WaitNode first = firstReleased;
          firstReleased = null;
          lastReleased = null;
          if (first != null && last != null) {
            synchronized (LEFT) {
              last.nextReleased = LEFT.first;
              LEFT.first = first;
            }
          }
          if (queue == null) {
            throw t;
          }
          break;
        }
      }
    } finally {
      isRunning = false;
    }
  }

  /** As {@link #run}, for a thread of the program, which looks at what others have left, too. */
  void runAndLookForLeft() {
    try {
      run();
    } finally {
      runLeft();
    }
  }

  /**
   * Has a new thread notify the waiters that other threads could not notify. Called by threads that
   * look about once a second, and by those that change a semaphore for the program.
   */
  public static void runLeft() {
    if (LEFT.first == null) {
      return;
    }
    try {
      new EngineThread("jhal-cascade", NOTIFY_LEFT).start();
    } catch (Throwable t) { // too many threads, or too little stack or memory
      return; // the next call tries again
    }
  }

  private static void notifyLeft() {
    Cascade cascade = current(); // empty, since the thread is new
    synchronized (LEFT) {
      // No calls: an error half-way could lose waiters.
      WaitNode last = LEFT.first;
      while (last != null && last.nextReleased != null) {
        last = last.nextReleased;
      }
      cascade.firstReleased = LEFT.first;
      cascade.lastReleased = last;
      LEFT.first = null;
    }
    cascade.run();
  }

  /** A stack of producers to settle, instead of recursion: a chain of them may be long. */
  public List<Producer> settling() {
    return settling;
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
    try {
      another.execute(new Notice(node));
    } catch (RejectedExecutionException e) { // the device is closed, or no thread can be started
      synchronized (LEFT) {
        node.nextReleased = LEFT.first;
        LEFT.first = node;
      }
      runLeft();
    }
    return true;
  }

  /** A class, and no lambda: one that is linked without stack for the first time never works. */
  private record Notice(WaitNode node) implements Runnable {
    @Override
    public void run() {
      Cascade cascade = current();
      cascade.addReleased(node);
      cascade.run();
    }
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
