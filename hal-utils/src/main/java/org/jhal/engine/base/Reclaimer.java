// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.base;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.System.Logger.Level;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jhal.driver.support.Attempt;
import org.jhal.driver.support.EngineThread;
import org.jhal.engine.concurrent.CoarseClock;
import org.jhal.engine.timeline.Failures;
import org.jhal.engine.timeline.ProgramCode;

/**
 * Reclaims resources whose handles became unreachable without having been closed. Its thread also
 * sets the {@link CoarseClock}, and does what a thread of its own was to do that could not be
 * started. It runs only while a device is open or memory of a closed one is not given back, since a
 * running thread keeps the class loader of an application alive. Then it goes on for a while if
 * there is anything else that may be forgotten. What becomes unreachable later is reported when the
 * next device is opened.
 *
 * <p>Thread-safe.
 */
public final class Reclaimer {
  private static final System.Logger LOG = System.getLogger(Reclaimer.class.getName());
  private static final long LOOK_MILLIS = 500;

  /** How long the thread goes on for what holds no memory of a device. */
  private static final long WHILE_NANOS = TimeUnit.SECONDS.toNanos(20);

  /** The queue on which {@link Owner}s arrive once their handle is unreachable. */
  static final ReferenceQueue<Object> UNREACHABLE = new ReferenceQueue<>();

  @GuardedBy("Reclaimer.class")
  private static int users; // how many devices are open, or closed with memory in use

  @GuardedBy("Reclaimer.class")
  private static long unusedSince; // when the last of them went

  // What could not be begun for lack of threads, for the thread to try again. An entry returns
  // whether it is done.
  @GuardedBy("Reclaimer.class")
  private static final List<BooleanSupplier> LATER = new ArrayList<>();

  @GuardedBy("Reclaimer.class")
  private static boolean runs; // the thread runs, and will look at `users` again before it ends

  private Reclaimer() {}

  /** Something may be leaked until {@link #endUse} is called as well. */
  static synchronized void beginUse() {
    CoarseClock.tick();
    if (!runs) {
      new EngineThread("jhal-reclaim", Reclaimer::run).start(); // throws if there is no thread
      runs = true;
    }
    users++; // the thread looks at it with the class locked
  }

  static synchronized void endUse() {
    users--;
    unusedSince = System.nanoTime();
  }

  /**
   * Starts a thread for cleanup, as soon as the system has one.
   *
   * @return whether it was started now; if not, this is tried twice a second
   */
  public static boolean startThread(String name, Runnable body) {
    if (isStarted(name, body)) {
      return true;
    }
    later(() -> isStarted(name, body));
    return false;
  }

  private static boolean isStarted(String name, Runnable body) {
    try {
      new EngineThread(name, body).start();
      return true;
    } catch (OutOfMemoryError e) {
      return false;
    }
  }

  /** Does something soon, on the thread, twice a second until it returns true. */
  static synchronized void later(BooleanSupplier attempt) {
    LATER.add(attempt);
    if (!runs) {
      runs = isStarted("jhal-reclaim", Reclaimer::run); // or with the next device
    }
  }

  private static void runLater() {
    List<BooleanSupplier> all;
    synchronized (Reclaimer.class) {
      if (LATER.isEmpty()) {
        return;
      }
      all = new ArrayList<>(LATER);
    }
    for (BooleanSupplier attempt : all) {
      if (attempt.getAsBoolean()) {
        synchronized (Reclaimer.class) {
          LATER.remove(attempt);
        }
      }
    }
  }

  /** Whether the thread ends, decided in the critical section that finds no users. */
  private static synchronized boolean ends() {
    if (users == 0
        && LATER.isEmpty()
        && (!LiveOwned.existOfClosedDevices() || System.nanoTime() - unusedSince > WHILE_NANOS)) {
      runs = false;
    }
    return !runs;
  }

  private static void run() {
    boolean[] isOver = new boolean[1];
    Attempt.Body step = () -> isOver[0] = !step();
    while (!isOver[0]) {
      Throwable thrown = ProgramCode.thrownBy(step);
      if (thrown != null) { // from a driver or a release callback; the next owner may succeed
        Failures.log(LOG, Level.ERROR, "cannot reclaim what was not closed", thrown);
      }
    }
  }

  /** Returns whether there may be more to do. */
  private static boolean step() throws InterruptedException {
    CoarseClock.tick();
    runLater();
    Reference<?> next = UNREACHABLE.remove(LOOK_MILLIS);
    if (next != null) {
      ((Owner) next).reclaim();
    }
    return next != null || !ends();
  }
}
