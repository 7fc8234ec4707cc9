// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jhal.Args;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.TimelineSemaphore;
import org.jhal.recording.Recorded.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Waits between queues that are missing: no dispatch is wrong, but what is read is. */
@Timeout(120)
class MissingWaitTest {
  private static final int N = 1000;
  private static final int SEEDS = 50;
  private static final Duration LONG = Duration.ofSeconds(30);

  @TempDir private Path folder;

  /**
   * A chain of dispatches on three queues, the last of which is read back.
   *
   * @param isWhole whether the readback waits for the last dispatch
   * @return an element of what is read
   */
  private static int run(Device device, boolean isWhole) throws InterruptedException {
    int[] result = new int[N];
    try (Executable executable = device.loadExecutable(Recorded.bundle(Recorded.RIGHT));
        DeviceBuffer a = device.allocate(ElementType.I32, N);
        DeviceBuffer b = device.allocate(ElementType.I32, N).named("b");
        TimelineSemaphore done = device.createSemaphore().named("done");
        TimelineSemaphore read = device.createSemaphore()) {
      Kernel affine = executable.kernel("affine");
      device.queue(0).fill(Fence.NONE, done.at(1), a, 0, 4 * N, FillPattern.of(1));
      device.queue(0).fill(done.at(1), done.at(2), b, 0, 4 * N, FillPattern.of(0));
      done.await(2, LONG);
      Args args = Args.of(N, a, b);
      device.queue(0).dispatch(done.at(2), done.at(3), affine, affine.covering(N), args);
      device.queue(1).readback(done.at(isWhole ? 3 : 2), read.at(1), b, 0, HostMemory.of(result));
      read.await(1, LONG);
      done.await(3, LONG);
    }
    return result[N - 1];
  }

  @Test
  void aReplayReadsOtherBytes() throws InterruptedException {
    int wrong = 0;
    for (int seed = 1; seed <= SEEDS && wrong == 0; seed++) {
      Path file = folder.resolve(seed + ".jrec");
      String uri = "mock://?queues=2&delay=1ms&seed=" + seed;
      int read;
      try (Device device = Hal.openDevice(Recorded.uri(uri, file))) {
        read = run(device, false);
      }
      Outcome outcome = Recorded.replay(file, "mock", null, null);
      assertEquals(read == 4 ? 0 : 6, outcome.exitCode(), outcome.text());
      assertSaysThatItIsUnordered(outcome);
      if (read != 4) {
        wrong++;
        assertTrue(
            outcome.text().contains("q1 operation 1 (readback), 4000 bytes"), outcome.text());
      }
    }
    assertEquals(1, wrong, "the wait that is missing shows with none of " + SEEDS + " seeds");
  }

  /** Before anything else, with both operations and their lines, whatever was read. */
  private static void assertSaysThatItIsUnordered(Outcome outcome) {
    List<String> lines = outcome.text().lines().toList();
    assertTrue(lines.get(1).startsWith("not ordered: "), outcome.text());
    String hazard = lines.get(2);
    for (String part :
        List.of(
            "-q1 operation 1 (readback) reads bytes [0, 4000) of the buffer 'b' of 4000 bytes",
            "-q0 operation 3 (dispatch of recorded:affine) may still write them as to",
            "add done#",
            "the program enqueues the one at org.jhal.recording.MissingWaitTest.run(MissingWaitTest.java:",
            ", the other at org.jhal.recording.MissingWaitTest.run(MissingWaitTest.java:")) {
      assertTrue(hazard.contains(part), () -> "'" + part + "' in: " + hazard);
    }
  }

  /** Also the page of a comparison begins with that, and a hazard that has failed its operation. */
  @Test
  void aPageSaysThatItIsUnordered() throws Exception {
    Path file = folder.resolve("failed.jrec");
    String uri = Recorded.uri("mock://?queues=2&validate=hazards,fail", file);
    try (Device device = Hal.openDevice(uri)) {
      HalException failure = assertThrows(HalException.class, () -> run(device, false));
      assertTrue(String.valueOf(failure.getMessage()).contains("hazard: "), failure.getMessage());
    }
    Path page = folder.resolve("page.html");
    Outcome outcome = Recorded.replay(file, "mock", "mock", 0, false, Map.of(), page, null);
    assertSaysThatItIsUnordered(outcome);
    String html = Files.readString(page);
    assertTrue(html.contains("<pre>not ordered: "), html);
    assertTrue(html.contains("may still write them as to"), html);
  }

  @Test
  void aReplayOfAnOrderedProgramSaysNothingOfHazards() throws InterruptedException {
    Path file = folder.resolve("ordered.jrec");
    try (Device device = Hal.openDevice(Recorded.uri("mock://?queues=2", file))) {
      assertEquals(4, run(device, true));
    }
    Outcome outcome = Recorded.replay(file, "mock", null, null);
    assertEquals(0, outcome.exitCode(), outcome.text());
    assertFalse(outcome.text().contains("not ordered"), outcome.text());
  }

  @Test
  void aTwinNamesTheWait() throws InterruptedException {
    String uri = "twin://?first=mock&second=mock&validate=hazards,fail";
    try (Device device = Hal.openDevice(uri)) {
      assertEquals(4, run(device, true));
      HalException failure = assertThrows(HalException.class, () -> run(device, false));
      assertTrue(String.valueOf(failure.getMessage()).contains("hazard: "), failure.getMessage());
      assertTrue(
          String.valueOf(failure.getMessage()).contains("to the waits"), failure.getMessage());
    }
  }
}
