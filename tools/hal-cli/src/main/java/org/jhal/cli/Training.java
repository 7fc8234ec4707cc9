// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.util.List;

/**
 * What the launcher has the JVM observe, once for each JDK, to start later commands faster: which
 * classes they load, and which methods they run often.
 */
final class Training {
  private static final List<String> SHORT = List.of("--help", "version", "drivers", "devices");

  private Training() {}

  /** Runs the short commands, and then the command that is given; each may fail. */
  public static void main(String[] args) {
    SHORT.forEach(command -> Main.run(null, null, command));
    Main.run(null, null, "info", "mock");
    Main.main(args);
  }
}
