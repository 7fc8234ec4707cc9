// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** The events that were recorded while a program ran. */
record Recorded(List<RecordedEvent> events) {
  /** A program to be recorded. */
  interface Program {
    void run() throws Exception;
  }

  /** Records all events of JHAL while {@code program} runs, and writes them to {@code file}. */
  static Recorded of(Path file, Program program) throws Exception {
    return of(
        file,
        TraceSettings.EVENTS.stream()
            .map(name -> name.substring(TraceSettings.PREFIX.length()))
            .toList(),
        program);
  }

  /** Like {@link #of(Path, Program)}, but records only events with these names. */
  static Recorded of(Path file, List<String> names, Program program) throws Exception {
    try (Recording recording = new Recording()) {
      for (String name : TraceSettings.EVENTS) {
        recording.disable(name);
      }
      for (String name : names) {
        recording.enable(TraceSettings.PREFIX + name);
      }
      recording.start();
      program.run();
      recording.stop();
      recording.dump(file);
    }
    return read(file);
  }

  static Recorded read(Path file) throws IOException {
    return new Recorded(RecordingFile.readAllEvents(file));
  }

  /** The events with this name, without {@code org.jhal.}. */
  List<RecordedEvent> of(String name) {
    List<RecordedEvent> found = new ArrayList<>();
    for (RecordedEvent event : events) {
      if (event.getEventType().getName().equals("org.jhal." + name)) {
        found.add(event);
      }
    }
    return found;
  }
}
