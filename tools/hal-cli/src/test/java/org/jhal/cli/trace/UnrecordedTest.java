// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import org.jhal.Device;
import org.jhal.Hal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A program pays for events only when there is a recording. */
@Timeout(120)
class UnrecordedTest {
  @TempDir private Path folder;

  @Test
  void registersEventsOnlyWithARecording() throws Exception {
    String said = Child.java(folder, Program.class.getName());
    assertEquals("recorder: false, JHAL's events: false, recorded: true", said.strip());
  }

  /** A recording that starts while a device is busy then finds all kinds of events. */
  @Test
  void registersEventsBeforeTheFirstRecordingOfAnOpenDevice() throws Exception {
    String said = Child.java(folder, WithDevice.class.getName());
    assertEquals("recorder: false, JHAL's events: true", said.strip());
  }

  /** Starts the recorder while a device is open, which is not used then. */
  static final class WithDevice {
    private WithDevice() {}

    public static void main(String[] args) {
      try (Device device = Hal.openDevice("mock")) {
        System.out.print("recorder: " + FlightRecorder.isInitialized());
        System.out.println(", JHAL's events: " + Program.isRegistered());
      }
    }
  }

  /** Uses devices without a recording, and then with one. */
  static final class Program {
    private Program() {}

    public static void main(String[] args) throws InterruptedException {
      EventsTest.web();
      System.out.print("recorder: " + FlightRecorder.isInitialized());
      System.out.print(", JHAL's events: " + isRegistered()); // starts the recorder
      try (Recording recording = new Recording()) {
        recording.start();
        EventsTest.web();
      }
      System.out.println(", recorded: " + isRegistered());
    }

    private static boolean isRegistered() {
      return FlightRecorder.getFlightRecorder().getEventTypes().stream()
          .anyMatch(type -> type.getName().startsWith(TraceSettings.PREFIX));
    }
  }
}
