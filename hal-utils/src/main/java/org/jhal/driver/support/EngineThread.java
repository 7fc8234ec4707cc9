package org.jhal.driver.support;

/**
 * A thread that may come to run what users wrote, such as a kernel or a host call, and therefore
 * may not close any device (rule Q8). A daemon, named after its device and its role.
 */
public class EngineThread extends Thread {
  /** A thread, not started. */
  public EngineThread(String name, Runnable body) {
    super(null, body, name, 0, false);
    setDaemon(true);
  }
}
