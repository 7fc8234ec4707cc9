// SPDX-License-Identifier: Apache-2.0
/** The neutral engine that drivers are built on. */
module org.jhal.utils {
  requires transitive org.jhal;
  requires transitive org.jhal.kernels;
  requires com.google.common;
  requires static com.google.errorprone.annotations;
  requires static jdk.jfr;
  requires static org.jspecify;

  exports org.jhal.driver;
  exports org.jhal.driver.options;
  exports org.jhal.driver.support;
  exports org.jhal.engine;
  exports org.jhal.engine.flightrecorder to
      org.jhal.gpu;

  // A collective is an operation of the engine, with a kind of work of its own.
  exports org.jhal.engine.base to
      org.jhal.collectives,
      org.jhal.gpu;
  exports org.jhal.engine.collective to
      org.jhal.collectives;
  exports org.jhal.engine.concurrent to
      org.jhal.collectives;
  exports org.jhal.engine.hazard to
      org.jhal.collectives;
  exports org.jhal.engine.memory to
      org.jhal.collectives;
  exports org.jhal.engine.queue to
      org.jhal.collectives;
  exports org.jhal.engine.timeline to
      org.jhal.collectives;
  exports org.jhal.engine.transfer to
      org.jhal.collectives;
  exports org.jhal.engine.work to
      org.jhal.collectives;

  // What the engine tells of a device that is recorded.
  exports org.jhal.engine.journal to
      org.jhal.recording;

  uses org.jhal.engine.collective.Collectives;
  uses org.jhal.engine.journal.Journals;
}
