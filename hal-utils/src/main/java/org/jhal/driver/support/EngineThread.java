// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.support;

import org.jhal.spi.HostWaits;

/**
 * A thread of an engine or a driver. Other work may depend on it while it runs users' code, such as
 * a kernel or a callback. So only host calls may wait for a timeline on it or close a device (rules
 * S7 and Q8). It is a daemon, named after its device and its role.
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
