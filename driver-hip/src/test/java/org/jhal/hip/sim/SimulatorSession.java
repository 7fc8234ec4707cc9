// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip.sim;

import java.util.Optional;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Makes the tests of a process find the libraries of the selected {@link StandIn}, before anything
 * is loaded. With {@code -Djhal.hip.rccl=none} there are no collectives among them.
 */
public final class SimulatorSession implements LauncherSessionListener {
  /** For the service loader. */
  public SimulatorSession() {}

  @Override
  public void launcherSessionOpened(LauncherSession session) {
    if (System.getProperty("jhal.hip.cache") == null) {
      System.setProperty(
          "jhal.hip.cache", "off"); // no test depends on what an earlier one has compiled
    }
    StandIn standIn = StandIn.chosen();
    Optional<String> reason = standIn.unavailable();
    if (reason.isPresent()) {
      System.setProperty("jhal.hip.cts.absent", reason.get());
    } else {
      standIn.use();
      if (System.getProperty(StandIn.COLLECTIVES) == null) {
        System.setProperty(StandIn.COLLECTIVES, standIn.collectives().path().toString());
      }
    }
  }
}
