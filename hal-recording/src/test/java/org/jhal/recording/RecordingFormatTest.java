// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.recording.format.Action;
import org.jhal.recording.format.Block;
import org.jhal.recording.format.ByteWriter;
import org.jhal.recording.format.End;
import org.jhal.recording.format.Payload;
import org.jhal.recording.format.Range;
import org.jhal.recording.format.Recording;
import org.jhal.recording.format.RecordingWriter;
import org.jhal.recording.format.Step;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file of a recording: what is written is read, wherever it is cut or damaged. */
class RecordingFormatTest {
  private static final List<Action> ACTIONS =
      List.of(
          new Action.Fill(new Range(0, 4, 8), 0xFEDC_BA98, 4),
          new Action.Write(new Range(0, 0, 3), Action.LATE),
          new Action.Write(new Range(0, 1L << 40, 4), 1),
          new Action.Readback(new Range(0, 0, 16)),
          new Action.Copy(new Range(0, 0, 2), new Range(0, 8, 2)),
          new Action.Dispatch(
              0, 1, 3, 2, 1, null, new byte[] {1, 2, 3}, Arrays.asList(null, new Range(0, 0, 16))),
          new Action.Dispatch(
              0,
              1,
              0,
              0,
              0,
              new Range(0, 24, 12),
              new byte[] {4},
              Arrays.asList(null, new Range(0, 0, 16))),
          new Action.Barrier(),
          new Action.Label("both \u00e9"),
          new Action.Label(""),
          new Action.Foreign(List.of(new Range(0, 0, 16))));

  private static final long SIZE = 1L << 41; // of the memory

  @TempDir private Path folder;

  /** Each operation has one action; the last one has all, in a payload. */
  private Path write() throws IOException {
    Path file = folder.resolve("test.jrec");
    RecordingWriter writer = new RecordingWriter(file);
    writer.block(Block.DEVICE, new ByteWriter().text("mock-0").text("Mock"));
    writer.block(Block.QUEUE, new ByteWriter().number(0).text("mock-0-q0"));
    writer.block(Block.MEMORY, new ByteWriter().number(0).number(SIZE).text("DEVICE").octet(0));
    writer.block(Block.BUNDLE, new ByteWriter().text("none").number(0).number(0).number(0));
    assertEquals(0, writer.payload(Payload.of(new byte[] {7, 8, 9})));
    assertEquals(1, writer.payload(Payload.of(new byte[] {7, 8, 9, 10})));
    assertEquals(0, writer.payload(Payload.of(new byte[] {7, 8, 9})), "each once");
    ByteWriter list = new ByteWriter();
    for (int i = 0; i < ACTIONS.size(); i++) {
      ByteWriter body = head(i);
      Step.Operation.writeActions(body, List.of(ACTIONS.get(i)));
      writer.block(Block.OPERATION, body);
      Action.write(ACTIONS.get(i), list);
    }
    ByteWriter body = head(ACTIONS.size());
    Step.Operation.writeList(body, ACTIONS.size(), writer.payload(Payload.of(list.toArray())));
    writer.block(Block.OPERATION, body);
    ByteWriter end = new ByteWriter();
    new End(Status.ABORTED, 1, Payload.of(new byte[0]).digest(), List.of()).write(2, end);
    writer.block(Block.END, end);
    writer.flush();
    return file;
  }

  private static ByteWriter head(int number) {
    ByteWriter body = new ByteWriter();
    Step.Operation.writeHead(
        body, 0, number, "test", new long[] {5, 1L << 50}, new long[] {6, 2}, number == 3);
    return body;
  }

  @Test
  void whatIsWrittenIsRead() throws IOException {
    Recording recording = Recording.read(write());
    assertNull(recording.cut());
    assertEquals("mock-0", recording.devices().get(0).name());
    assertEquals("mock-0-q0", recording.queue(0).name());
    assertEquals(SIZE, recording.memory(0).size());
    assertArrayEquals(new byte[] {7, 8, 9, 10}, recording.payload(1));
    assertEquals(ACTIONS.size() + 1, recording.operations());
    assertEquals(new Step.Allocated(0), recording.steps().get(0));
    for (int i = 0; i < ACTIONS.size(); i++) {
      Step.Operation read = (Step.Operation) recording.steps().get(1 + i);
      assertEquals(List.of(ACTIONS.get(i)), read.actions());
      assertEquals(List.of(5L, 1L << 50), read.waits());
      assertEquals(List.of(6L, 2L), read.signals());
      assertEquals(i == 3, read.isUnseen());
    }
    Step.Operation all = (Step.Operation) recording.steps().get(1 + ACTIONS.size());
    assertEquals(ACTIONS, all.actions());
    End end = recording.end(2);
    assertNotNull(end);
    assertEquals(Status.ABORTED, end.failure());
    assertEquals(1, end.payload());
    assertEquals(Payload.of(new byte[0]).digest(), end.readback());
    assertNull(recording.end(3));
  }

  @Test
  void aRecordingThatIsCutHasAllUpToThere() throws IOException {
    byte[] whole = Files.readAllBytes(write());
    Recording all = Recording.read(folder.resolve("test.jrec"));
    Path cut = folder.resolve("cut.jrec");
    int last = 0;
    for (int length = 9; length < whole.length; length++) {
      Files.write(cut, Arrays.copyOf(whole, length));
      Recording part = Recording.read(cut);
      int steps = part.steps().size();
      assertTrue(steps >= last && steps <= last + 1, "steps: " + steps + " after " + last);
      assertEquals(all.steps().subList(0, steps), part.steps());
      last = steps;
    }
    assertEquals(all.steps().size(), last);
  }

  @Test
  void damageIsFound() throws IOException {
    byte[] whole = Files.readAllBytes(write());
    Recording all = Recording.read(folder.resolve("test.jrec"));
    Path damaged = folder.resolve("damaged.jrec");
    for (int at = 9; at < whole.length; at++) {
      byte[] bytes = whole.clone();
      bytes[at] ^= 0x10;
      Files.write(damaged, bytes);
      Recording part = Recording.read(damaged);
      assertNotNull(part.cut(), "byte " + at);
      assertEquals(all.steps().subList(0, part.steps().size()), part.steps());
    }
  }

  /** As nothing that writes recordings does, but a file may come from anywhere. */
  @Test
  void whatNamesThingsThatThereAreNotEndsTheRecording() throws IOException {
    var unused = write();
    Range far = new Range(0, SIZE - 1, 2);
    List<Action> wrong =
        List.of(
            new Action.Readback(new Range(1, 0, 1)),
            new Action.Readback(far),
            new Action.Readback(new Range(0, -1, 1)),
            new Action.Readback(new Range(0, 1, -1)),
            new Action.Write(new Range(0, 0, 3), 2),
            new Action.Write(new Range(0, 0, 2), 0),
            new Action.Copy(new Range(0, 0, 2), new Range(0, 8, 3)),
            new Action.Dispatch(1, 0, 1, 1, 1, null, new byte[0], List.of()),
            new Action.Dispatch(0, 0, 1, 1, 1, null, new byte[0], Arrays.asList(null, far)),
            new Action.Dispatch(0, 0, 0, 0, 0, new Range(1, 0, 12), new byte[0], List.of()),
            new Action.Dispatch(0, 0, 0, 0, 0, new Range(0, 0, 11), new byte[0], List.of()),
            new Action.Foreign(List.of(far)));
    for (Action action : wrong) {
      ByteWriter body = head(ACTIONS.size() + 1);
      Step.Operation.writeActions(body, List.of(action));
      assertEndsThere(Block.OPERATION, body);
    }
    assertEndsThere(Block.QUEUE, new ByteWriter().number(1).text("queue"));
    assertEndsThere(Block.MEMORY, new ByteWriter().number(1).number(8).text("DEVICE").octet(0));
    assertEndsThere(Block.MEMORY, new ByteWriter().number(0).number(8).text("DEVICE").octet(3));
    assertEndsThere(Block.FREED, new ByteWriter().number(1));
    assertEndsThere(Block.HOST_WRITE, new ByteWriter().range(new Range(0, 0, 4)).number(0));
    assertEndsThere(Block.BUNDLE, new ByteWriter().text("b").number(1).text("file").number(9));
    ByteWriter end = new ByteWriter();
    new End(null, 9, null, List.of()).write(0, end);
    assertEndsThere(Block.END, end);
    end.clear();
    new End(null, -1, null, List.of()).write(ACTIONS.size() + 1, end);
    assertEndsThere(Block.END, end);
  }

  private void assertEndsThere(Block kind, ByteWriter body) throws IOException {
    Path written = folder.resolve("test.jrec");
    String before = Recording.read(written).steps().toString();
    Path file = Files.write(folder.resolve("longer.jrec"), Files.readAllBytes(written));
    ByteWriter block = new ByteWriter().octet(kind.ordinal()).array(body.toArray());
    CRC32C sum = new CRC32C();
    sum.update(block.toArray());
    for (int i = 0; i < 4; i++) {
      block.octet((int) (sum.getValue() >>> 8 * i));
    }
    Files.write(file, block.toArray(), StandardOpenOption.APPEND);
    Recording recording = Recording.read(file);
    assertNotNull(recording.cut(), () -> kind + " " + Arrays.toString(body.toArray()));
    assertTrue(recording.cut().startsWith("malformed at byte"), recording.cut());
    assertEquals(before, recording.steps().toString());
  }

  @Test
  void otherFilesAreRefused() throws IOException {
    byte[] bytes = Files.readAllBytes(write());
    bytes[8] = 2;
    Path newer = Files.write(folder.resolve("newer.jrec"), bytes);
    HalException refused = assertThrows(HalException.class, () -> Recording.read(newer));
    assertEquals(Status.INVALID_ARGUMENT, refused.status());
    assertTrue(refused.getMessage().contains("version 2"), refused.getMessage());
    byte[] noise = new byte[1000];
    new Random(1).nextBytes(noise);
    Path other = Files.write(folder.resolve("other"), noise);
    refused = assertThrows(HalException.class, () -> Recording.read(other));
    assertEquals(Status.INVALID_ARGUMENT, refused.status());
    refused = assertThrows(HalException.class, () -> Recording.read(folder.resolve("nosuch")));
    assertEquals(Status.NOT_FOUND, refused.status());
  }
}
