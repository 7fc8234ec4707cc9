// SPDX-License-Identifier: Apache-2.0
package org.jhal.spi;

import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.HalMXBean;
import org.jhal.Registration;

/**
 * Registers the {@link HalMXBean} while at least one device is registered, and then calls the
 * listeners. A separate thread does this, and ends afterwards: starting the platform's MBean server
 * takes a while, and both run foreign code.
 */
final class BeanThread {
  private static final System.Logger LOG = System.getLogger(BeanThread.class.getName());

  /**
   * The number of calls of {@link #update} that the thread has not handled. The thread runs while
   * it is not 0.
   */
  private static final AtomicInteger CALLS = new AtomicInteger();

  private static final List<Listener> LISTENERS = new CopyOnWriteArrayList<>();

  /** A callback for changes; equal only to itself. */
  private static final class Listener implements Registration {
    private final Runnable body;

    Listener(Runnable body) {
      this.body = body;
    }

    @Override
    public boolean cancel() {
      return LISTENERS.remove(this);
    }
  }

  private BeanThread() {}

  /** See {@link Explanations#onChange}. */
  static Registration listen(Runnable body) {
    Listener listener = new Listener(body);
    LISTENERS.add(listener);
    return listener;
  }

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
      LISTENERS.forEach(BeanThread::call);
    } while (CALLS.addAndGet(-handled) > 0);
  }

  private static void call(Listener listener) {
    try {
      listener.body.run();
    } catch (Throwable t) { // the other listeners, and later changes, must not suffer
      LOG.log(Level.WARNING, "a listener for open devices failed", t);
    }
  }
}
