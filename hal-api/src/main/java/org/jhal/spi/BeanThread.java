package org.jhal.spi;

import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.HalMXBean;

/**
 * Has the {@link HalMXBean} registered while a device is. That takes a thread of its own, which
 * ends at once: the platform's MBean server takes a while to start, and runs code of others.
 */
final class BeanThread {
  private static final System.Logger LOG = System.getLogger(BeanThread.class.getName());

  /** How often {@link #update} was called that the thread has not handled; it runs unless 0. */
  private static final AtomicInteger CALLS = new AtomicInteger();

  private BeanThread() {}

  /** Registers or unregisters the bean soon, as it should be then. */
  static void update() {
    if (CALLS.getAndIncrement() > 0) {
      return; // the thread will look again
    }
    try {
      Thread thread = new Thread(null, BeanThread::run, "jhal-jmx", 0, false);
      thread.setDaemon(true);
      thread.setContextClassLoader(null);
      thread.start();
    } catch (Throwable t) { // no memory for a thread: the bean is worth less than the device
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
