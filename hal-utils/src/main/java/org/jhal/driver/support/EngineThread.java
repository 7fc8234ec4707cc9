package org.jhal.driver.support;

/**
 * A thread that may run code of users, such as a kernel or a host call, and therefore may not close
 * any device (rule Q8). It is a daemon, named after its device and its role.
 */
public class EngineThread extends Thread {
  /** Creates a thread, which is not started yet. */
  public EngineThread(String name, Runnable body) {
    super(null, body, name, 0, false);
    setDaemon(true);
  }
}
