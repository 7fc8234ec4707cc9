// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Fence;
import org.jhal.Hal;
import org.jhal.HostMemory;
import org.jhal.TimelineSemaphore;

/** A program that is recorded in a process of its own. */
public final class RecordedProgram {
  private static final int N = 1 << 14;

  private RecordedProgram() {}

  /**
   * Uploads and reads back random bytes on a recorded mock, says "right", and waits for a line.
   *
   * @param args the recording; how often; "halt" to end there without closing anything
   */
  public static void main(String[] args) throws Exception {
    Random random = new Random(1);
    byte[] bytes = new byte[N];
    byte[] read = new byte[N];
    try (Device device = Hal.openDevice(Recorded.uri("mock", Path.of(args[0])));
        DeviceBuffer buffer = device.allocate(ElementType.U8, N);
        TimelineSemaphore done = device.createSemaphore()) {
      for (int i = 0; i < Integer.parseInt(args[1]); i++) {
        random.nextBytes(bytes);
        Fence before = i == 0 ? Fence.NONE : done.at(2 * i);
        device.queue(0).upload(before, done.at(2 * i + 1), HostMemory.of(bytes), buffer, 0);
        device
            .queue(0)
            .readback(done.at(2 * i + 1), done.at(2 * i + 2), buffer, 0, HostMemory.of(read));
        done.await(2 * i + 2);
        if (!Arrays.equals(bytes, read)) {
          throw new IllegalStateException("wrong bytes in round " + i);
        }
      }
      System.out.println("right");
      int unused = System.in.read();
      if (args.length > 2) {
        Runtime.getRuntime().halt(0);
      }
    }
  }

  /** Starts it; {@code before} are commands of a shell. Its errors go to its output. */
  static Process start(String before, Path file, int count, String... more) throws IOException {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(List.of("-XX:-UsePerfData", "-cp", System.getProperty("java.class.path")));
    words.addAll(List.of(RecordedProgram.class.getName(), file.toString(), "" + count));
    words.addAll(List.of(more));
    StringBuilder command = new StringBuilder(before + " exec");
    words.forEach(word -> command.append(" '").append(word).append("'"));
    return new ProcessBuilder("/bin/sh", "-c", command.toString())
        .redirectErrorStream(true)
        .start();
  }
}
