// SPDX-License-Identifier: Apache-2.0
package org.jhal.spi;

import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.HalMXBean;

/**
 * Registers the {@link HalMXBean} while at least one device is registered. A separate thread does
 * this, and ends afterwards: starting the platform's MBean server takes a while, and runs foreign
 * code.
 */
final class BeanThread {
  private static final System.Logger LOG = System.getLogger(BeanThread.class.getName());

  /**
   * The number of calls of {@link #update} that the thread has not handled. The thread runs while
   * it is not 0.
   */
  private static final AtomicInteger CALLS = new AtomicInteger();

  private BeanThread() {}

  /**
   * Causes the thread to register or unregister the bean soon, depending on whether a device is
   * registered by then.
   */
  static void update() {
    if (CALLS.getAndIncrement() > 0) {
      return; // the running thread will check again
    }
    try {
      Thread thread = new Thread(null, BeanThread::run, "jhal-jmx", 0, false);
      thread.setDaemon(true);
      thread.setContextClassLoader(null);
      thread.start();
    } catch (Throwable t) { // no memory for a thread: the device matters more than the bean
      CALLS.set(0);
    }
  }

  private static void run() {
    int handled;
    do {
      handled = CALLS.get();
      try {
        ExplanationBean.change(!Explanations.all().isEmpty());
      } catch (NoClassDefFoundError e) {
        LOG.log(Level.DEBUG, "no JMX bean, as there is no module java.management", e);
      } catch (Throwable t) {
        LOG.log(Level.WARNING, "cannot change the JMX bean", t);
      }
    } while (CALLS.addAndGet(-handled) > 0);
  }
}
