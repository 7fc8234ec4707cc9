package org.jhal.cli.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
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
