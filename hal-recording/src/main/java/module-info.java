// SPDX-License-Identifier: Apache-2.0
/** Recordings of what devices do, and their replay; the engine finds this module as a service. */
module org.jhal.recording {
  requires transitive org.jhal;
  requires com.google.common;
  requires com.google.gson;
  requires org.jhal.kernels;
  requires org.jhal.utils;
  requires static com.google.errorprone.annotations;
  requires static org.jspecify;

  exports org.jhal.recording.replay;

  provides org.jhal.engine.journal.Journals with
      org.jhal.recording.capture.FileJournals;
  provides org.jhal.spi.DriverProvider with
      org.jhal.recording.RecordDriverProvider,
      org.jhal.recording.twin.TwinDriverProvider;
}
