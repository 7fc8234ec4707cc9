// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.support;

import java.util.concurrent.ThreadFactory;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jhal.spi.HostWaits;

/**
 * A thread of an engine or a driver. Other work may depend on it while it runs users' code, such as
 * a kernel or a callback. So only host calls may wait for a timeline on it or close a device (rules
 * S7 and Q8). It is a daemon, named after its device and its role.
 */
public class EngineThread extends Thread {
  /** Which threads cannot be started, by their names; tests set it. */
  static volatile Predicate<String> isRefused = name -> false;

  /** Creates a thread, which is not started yet. */
  public EngineThread(String name, Runnable body) {
    super(null, body, name, 0, false);
    setDaemon(true);
  }

  /**
   * {@inheritDoc}
   *
   * @throws OutOfMemoryError if the system has no thread left
   */
  @Override
  public synchronized void start() {
    check(getName());
    super.start();
  }

  static void check(String name) {
    if (isRefused.test(name)) {
      throw new OutOfMemoryError("unable to create native thread: refused on purpose");
    }
  }

  /**
   * A factory for pools, which may start threads in their own way.
   *
   * @param names names the next thread
   */
  public static ThreadFactory factory(Supplier<String> names) {
    return body -> {
      EngineThread thread = new EngineThread(names.get(), body);
      check(thread.getName());
      return thread;
    };
  }

  @Override
  public void run() {
    HostWaits.refuse("code that belongs to a device"); // for good
    super.run();
  }
}
