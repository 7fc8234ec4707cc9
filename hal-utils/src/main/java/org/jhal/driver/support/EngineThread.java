package org.jhal.driver.support;

import org.jhal.spi.HostWaits;

/**
 * A thread of an engine or a driver. It may run code of users, such as a kernel or a callback,
 * while work of others depends on it: so nothing on it may wait for a timeline or close a device
 * (rules S7 and Q8), host calls apart. It is a daemon, named after its device and its role.
 */
public class EngineThread extends Thread {
  /** Creates a thread, which is not started yet. */
  public EngineThread(String name, Runnable body) {
    super(null, body, name, 0, false);
    setDaemon(true);
  }

  @Override
  public void run() {
    String ignored = HostWaits.refuse("code that belongs to a device"); // for good
    super.run();
  }
}
