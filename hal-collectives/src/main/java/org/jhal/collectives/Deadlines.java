// SPDX-License-Identifier: Apache-2.0
package org.jhal.collectives;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.EngineThread;
import org.jhal.spi.HostFailures;

/**
 * Runs tasks after a delay. Its one thread is started when it is needed, and ends when nothing has
 * waited for a while.
 *
 * <p>Thread-safe.
 */
public final class Deadlines {
  private static final long IDLE_SECONDS = 5;
  private static final ScheduledThreadPoolExecutor TIMER = timer();

  private Deadlines() {}

  private static ScheduledThreadPoolExecutor timer() {
    ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(1, EngineThread.factory(() -> "jhal-deadline"));
    timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
    timer.allowCoreThreadTimeOut(true); // the thread stays as long as anything is scheduled
    timer.setRemoveOnCancelPolicy(true);
    return timer;
  }

  /**
   * Runs {@code late} after {@code nanos}, unless the result is cancelled before. It must be short,
   * and throw nothing.
   *
   * @throws HalException RESOURCE_EXHAUSTED if no thread can be started; {@code late} may run all
   *     the same
   */
  public static Future<?> after(long nanos, Runnable late) {
    try {
      return TIMER.schedule(late, Math.min(nanos, Long.MAX_VALUE / 2), TimeUnit.NANOSECONDS);
    } catch (OutOfMemoryError e) {
      throw HostFailures.of(Status.RESOURCE_EXHAUSTED, "no timer", e);
    }
  }

  /**
   * Runs {@code late} on a thread of its own, since users' callbacks run in it and the thread of
   * this class serves all groups; on the calling thread if none can be started.
   */
  public static void apart(Runnable late) {
    try {
      new EngineThread("jhal-late", late).start();
    } catch (OutOfMemoryError e) {
      late.run();
    }
  }
}
