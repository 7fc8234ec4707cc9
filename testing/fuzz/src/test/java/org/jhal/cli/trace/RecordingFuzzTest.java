// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import jdk.jfr.Recording;
import org.jhal.Device;
import org.jhal.Fence;
import org.jhal.Hal;
import org.jhal.TimelineSemaphore;
import org.jhal.fuzz.Fuzz;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recordings that become a trace. The JDK parses them, and its exceptions are not documented. */
class RecordingFuzzTest {
  @TempDir private Path folder;

  @Test
  void recordings() throws Exception {
    Path file = folder.resolve("a.jfr");
    try (Recording recording = new Recording()) {
      TraceSettings.EVENTS.forEach(recording::enable);
      recording.start();
      try (Device device = Hal.openDevice("mock");
          TimelineSemaphore done = device.createSemaphore(0)) {
        device.queue(0).barrier(Fence.NONE, done.at(1));
        device.queue(0).barrier(done.at(1), done.at(2));
        done.await(2, Duration.ofSeconds(100));
      }
      recording.stop();
      recording.dump(file);
    }
    new Fuzz("jfr", List.of(Files.readAllBytes(file)), List.of("FLR\0", "org.jhal.Name", "host"))
        .documented(BadRecordingException.class)
        .allocating(512 << 20)
        .run(
            150,
            input -> {
              Files.write(file, input);
              try (Writer out = Writer.nullWriter()) {
                TraceReader.Summary unused = TraceReader.read(file, new ChromeTrace(out));
              }
            });
  }
}
