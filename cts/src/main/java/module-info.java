// SPDX-License-Identifier: Apache-2.0
/**
 * The conformance suite. The module is open because the test engine and drivers use reflection on
 * its classes.
 */
open module org.jhal.cts {
  requires transitive org.jhal;
  requires transitive org.junit.jupiter.api;
  requires transitive org.junit.jupiter.params;
  requires java.logging;
  requires org.junit.platform.engine;
  requires org.junit.platform.launcher;
  requires static org.jspecify;

  exports org.jhal.cts;
  exports org.jhal.cts.arithmetic;
  exports org.jhal.cts.faults;
  exports org.jhal.cts.html;
  exports org.jhal.cts.kernels;
  exports org.jhal.cts.run.tool;

  uses org.jhal.cts.CtsBackend;
}
