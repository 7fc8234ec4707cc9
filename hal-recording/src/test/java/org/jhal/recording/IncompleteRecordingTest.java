// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.Fence;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.Sequence;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.recording.Recorded.Outcome;
import org.jhal.recording.format.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A recording that was cut off or damaged is replayed up to there. */
@Timeout(300)
class IncompleteRecordingTest {
  private static final int N = 16;
  private static final int HEADER = 9; // bytes

  @TempDir private Path folder;

  /** A small recording that has each kind of block. */
  private Path record() throws InterruptedException {
    Path file = folder.resolve("whole.jrec");
    try (Device device = Hal.openDevice(Recorded.uri("mock", file));
        Executable executable = device.loadExecutable(Recorded.bundle(Recorded.RIGHT));
        DeviceBuffer a = device.allocate(ElementType.I32, N);
        DeviceBuffer b = device.allocate(4 * N, BufferParams.HOST);
        Sequence sequence = device.createSequence();
        TimelineSemaphore done = device.createSemaphore();
        CommandBuffer commands = device.createCommandBuffer(CommandBuffer.Mode.REUSABLE)) {
      Kernel affine = executable.kernel("affine");
      var steps = sequence.on(device.queue(0));
      int[] read = new int[N];
      steps.upload(HostMemory.of(new int[N]), a);
      steps.dispatch(affine, affine.covering(N), Args.of(N, a, b));
      steps.readback(b, HostMemory.of(read));
      sequence.await();
      try (DeviceBuffer.Mapping mapping = b.map(DeviceBuffer.MapMode.READ_WRITE)) {
        mapping.bytes().putInt(0, 7);
      }
      commands.dispatch(affine, affine.covering(N), Args.of(N, b, a));
      commands.copy(b, 0, a, 0, 4);
      commands.end();
      steps.execute(commands);
      sequence.await();
      device
          .queue(0)
          .external(Fence.NONE, done.at(1), List.of(a), context -> context.bytes(a).putInt(4, 5));
      done.await(1);
      steps.readback(a, HostMemory.of(read));
      steps.upload(HostMemory.of(read), b); // what the readback brings
      steps.readback(b, HostMemory.of(read));
      sequence.await();
      assertEquals(7, read[0]);
      assertEquals(5, read[1]);
      assertEquals(4, read[2]);
    }
    return file;
  }

  private static String state(Recording recording) {
    StringBuilder text = new StringBuilder();
    recording.steps().forEach(step -> text.append(step).append('\n'));
    for (int i = 0; i < recording.operations(); i++) {
      text.append(recording.end(i)).append('\n');
    }
    return text.toString();
  }

  /** Replays an incomplete recording, unless that was done with the same one. */
  private String assertReplays(Path part, String last, String what) throws InterruptedException {
    Recording recording = Recording.read(part);
    assertNotNull(recording.cut(), what);
    String state = state(recording);
    if (!state.equals(last)) {
      Outcome outcome = Recorded.replay(part, "mock", null, null);
      assertEquals(0, outcome.exitCode(), () -> what + ": " + outcome.text());
      assertTrue(outcome.text().contains("the recording is " + recording.cut()), outcome.text());
    }
    return state;
  }

  @Test
  void aRecordingThatIsCutAtAnyByteReplays() throws IOException, InterruptedException {
    byte[] whole = Files.readAllBytes(record());
    Path part = folder.resolve("part.jrec");
    String last = "";
    for (int length = 0; length < whole.length; length++) {
      Files.write(part, Arrays.copyOf(whole, length));
      if (length < HEADER) {
        HalException refused = assertThrows(HalException.class, () -> Recording.read(part));
        assertEquals(Status.INVALID_ARGUMENT, refused.status());
      } else if (Recording.read(part).cut() != null) { // else a block ends there
        last = assertReplays(part, last, "the first " + length + " bytes");
      }
    }
  }

  @Test
  void aRecordingThatIsDamagedAtAnyByteReplays() throws IOException, InterruptedException {
    byte[] whole = Files.readAllBytes(record());
    Path part = folder.resolve("part.jrec");
    String last = "";
    for (int at = 0; at < whole.length; at++) {
      byte[] bytes = whole.clone();
      bytes[at] ^= (byte) (at % 2 == 0 ? 0x01 : 0x80);
      Files.write(part, bytes);
      if (at < HEADER) {
        HalException refused = assertThrows(HalException.class, () -> Recording.read(part));
        assertEquals(Status.INVALID_ARGUMENT, refused.status());
      } else {
        last = assertReplays(part, last, "with another byte " + at);
      }
    }
  }

  /** Waits until the program has done all its operations. */
  private static BufferedReader awaitRight(Process process) throws IOException {
    BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
    StringBuilder text = new StringBuilder();
    out.mark(1 << 16);
    for (String line = out.readLine(); !"right".equals(line); line = out.readLine()) {
      text.append(line).append('\n');
      if (line == null) {
        throw new AssertionError("the program has ended: " + text);
      }
    }
    out.reset();
    return out;
  }

  /** Lets the program end, and returns all that it has printed. */
  private static String end(Process process, BufferedReader out)
      throws IOException, InterruptedException {
    try (var in = process.getOutputStream()) {
      in.write('\n');
    }
    String text = String.join("\n", out.lines().toList());
    assertTrue(process.waitFor(1, TimeUnit.MINUTES), "the program waits for its end");
    assertEquals(0, process.exitValue(), text);
    return text;
  }

  /** A limit of the system stands for a disk that is full. */
  @Test
  @DisabledOnOs(OS.WINDOWS)
  void aFullDiskEndsTheRecordingAndNotTheProgram() throws IOException, InterruptedException {
    Path file = folder.resolve("full.jrec");
    Process process = RecordedProgram.start("ulimit -f 512;", file, 100); // of 1.6 MB
    String text = end(process, awaitRight(process));
    assertTrue(text.contains("the recording " + file + " ends here"), text);
    Recording recording = Recording.read(file);
    assertNotNull(recording.cut());
    assertTrue(recording.operations() > 10, "operations: " + recording.operations());
    Outcome outcome = Recorded.replay(file, "mock", null, null);
    assertEquals(0, outcome.exitCode(), outcome.text());
    assertFalse(outcome.text().contains("readbacks: 0,"), outcome.text());
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void anotherProcessIsRefused() throws IOException, InterruptedException {
    Path file = folder.resolve("shared.jrec");
    Process process = RecordedProgram.start("", file, 3);
    BufferedReader out = awaitRight(process);
    HalException refused =
        assertThrows(HalException.class, () -> Hal.openDevice(Recorded.uri("mock", file)));
    assertEquals(Status.UNAVAILABLE, refused.status());
    assertTrue(refused.getMessage().contains("another process"), refused.getMessage());
    String unused = end(process, out);
    String text = Recorded.replay(file, "mock", null, null).text();
    assertTrue(text.contains("readbacks: 3, all with the bytes"), text);
  }

  /** The program ends while its device is open. */
  @Test
  @DisabledOnOs(OS.WINDOWS)
  void aProcessThatEndsAtOnceLeavesARecording() throws IOException, InterruptedException {
    Path file = folder.resolve("halted.jrec");
    Process process = RecordedProgram.start("", file, 20, "halt");
    String unused = end(process, awaitRight(process));
    Outcome outcome = Recorded.replay(file, "mock", null, null);
    assertEquals(0, outcome.exitCode(), outcome.text());
    int operations = Recording.read(file).operations();
    assertTrue(operations > 0, "operations: " + operations);
  }
}
