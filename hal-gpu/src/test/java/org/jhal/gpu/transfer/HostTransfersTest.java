// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.transfer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Status;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.HostCompletion;
import org.jhal.driver.Operand;
import org.jhal.driver.Submission;
import org.jhal.driver.TransferPath;
import org.jhal.gpu.transfer.PlainDevice.Memory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which way the bytes of a command take. */
@Timeout(120)
class HostTransfersTest {
  private static final int MIB = 1 << 20;
  private static final int OFFSET = 3;
  private static final Operand OPERAND = new Operand() {};

  private final PlainDevice device = new PlainDevice(1 << 30, 64 << 10, 1);
  private final Memory memory = device.allocate(2 * MIB);
  private final List<Object> seen = new ArrayList<>(); // paths, then what is left to the ring
  private boolean mayBlock; // whether a thread of the queue issues
  private CopyStream stream;
  private HostTransfers transfers;

  @BeforeEach
  void open() {
    long token = device.bindToThread();
    stream = device.open();
    transfers = new HostTransfers(stream, device.ring);
    device.unbindFromThread(token);
  }

  @AfterEach
  void close() throws Exception {
    device.run(
        () -> {
          transfers.close();
          stream.close();
        });
    device.close();
    assertEquals(0, device.live.get(), "streams and staging memory");
  }

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  private static ByteBuffer direct(byte[] content) {
    return ByteBuffer.allocateDirect(content.length).put(content).flip();
  }

  private static Command command(Command.Kind kind, Map<String, Object> values) {
    return (Command)
        Proxy.newProxyInstance(
            Command.class.getClassLoader(),
            new Class<?>[] {Command.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "kind" -> kind;
                  case "source", "target" -> OPERAND;
                  default -> values.get(method.getName());
                });
  }

  private static Command transfer(Command.Kind kind, HostMemory host) {
    return command(kind, Map.of("host", host));
  }

  private static Command update(byte[] content) {
    return command(
        Command.Kind.UPDATE, Map.of("array", content, "bytes", ByteBuffer.wrap(content)));
  }

  private Submission submission(boolean waitsReached) {
    return (Submission)
        Proxy.newProxyInstance(
            Submission.class.getClassLoader(),
            new Class<?>[] {Submission.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "memory" -> memory;
                  case "offset" -> (long) OFFSET;
                  case "waitsReached" -> waitsReached;
                  case "mayBlock" -> mayBlock;
                  case "moves" -> note(arguments[1]);
                  case "afterwards" -> note(arguments[0]);
                  default -> throw new AssertionError(method);
                });
  }

  private @Nullable Object note(Object what) {
    seen.add(what);
    return null;
  }

  private boolean upload(HostMemory source, boolean waitsReached) {
    boolean[] isElsewhere = new boolean[1];
    device.run(
        () -> {
          isElsewhere[0] =
              transfers.upload(transfer(Command.Kind.UPLOAD, source), submission(waitsReached));
          stream.synchronize();
        });
    return isElsewhere[0];
  }

  /** Runs what was left to the ring. */
  private void move() throws Exception {
    assertEquals(TransferPath.RING, seen.get(0));
    assertEquals(2, seen.size(), seen::toString);
    assertNull(device.start((PageableTransfer) seen.get(1)).await());
  }

  private void assertContent(byte[] expected) {
    byte[] content = new byte[expected.length];
    System.arraycopy(memory.bytes, OFFSET, content, 0, content.length);
    assertArrayEquals(expected, content);
  }

  @Test
  void aSmallUploadFromTheHeapIsStagedWhateverItWaitsFor() {
    byte[] content = bytes(MIB);
    assertFalse(upload(HostMemory.of(content), false));
    assertEquals(List.of(TransferPath.STAGED), seen);
    assertContent(content);
  }

  @Test
  void anUploadOfOtherMemoryIsStagedOnceItsProducersAreOver() {
    byte[] content = bytes(100);
    assertFalse(upload(HostMemory.of(direct(content)), true));
    assertEquals(List.of(TransferPath.STAGED), seen);
    assertContent(content);
  }

  /** A producer may write the memory: it may be page-locked. */
  @Test
  void anUploadOfOtherMemoryIsLeftToTheRingBefore() throws Exception {
    byte[] content = bytes(100);
    assertTrue(upload(HostMemory.of(direct(content)), false));
    move();
    assertContent(content);
  }

  @Test
  void aLargeUploadIsLeftToTheRing() throws Exception {
    byte[] content = bytes(MIB + 1);
    assertTrue(upload(HostMemory.of(content), true));
    move();
    assertContent(content);
  }

  /** The staging memory of uploads comes first. */
  @Test
  void freesTheRestIfAFreeFails() {
    assertFalse(upload(HostMemory.of(bytes(100)), true));
    mayBlock = true;
    assertFalse(readback(HostMemory.of(new byte[100])));
    assertEquals(2, device.pinned.get());
    device.fail("free", 1, Status.INTERNAL);
    device.run(() -> assertThrows(HalException.class, transfers::close));
    assertEquals(0, device.pinned.get());
    transfers = new HostTransfers(stream, device.ring); // for close()
  }

  private byte[] prepareReadback(int length) {
    byte[] content = bytes(length);
    System.arraycopy(content, 0, memory.bytes, OFFSET, length);
    return content;
  }

  private boolean readback(HostMemory target) {
    boolean[] isElsewhere = new boolean[1];
    device.run(
        () -> {
          Command command = transfer(Command.Kind.READBACK, target);
          isElsewhere[0] = transfers.readback(command, submission(true));
          stream.synchronize();
        });
    return isElsewhere[0];
  }

  @Test
  void aSmallReadbackGoesThroughTheStream() throws Exception {
    byte[] content = prepareReadback(MIB);
    byte[] target = new byte[MIB];
    mayBlock = true;
    assertFalse(readback(HostMemory.of(target)));
    assertEquals(TransferPath.STAGED, seen.get(1));
    HostCompletion copy = assertInstanceOf(ReadbackRing.Part.class, seen.get(0));
    assertTrue(copy.isBrief());
    copy.run(device.new Transfer());
    assertArrayEquals(content, target);
  }

  @Test
  void aLargeReadbackIsLeftToTheRing() throws Exception {
    byte[] content = prepareReadback(MIB + 1);
    byte[] target = new byte[MIB + 1];
    mayBlock = true;
    assertTrue(readback(HostMemory.of(target)));
    move();
    assertArrayEquals(content, target);
  }

  /** Making the memory blocks, which a thread of the program must not. */
  @Test
  void aReadbackThatMustNotBlockIsLeftToTheRingUntilThereIsMemory() throws Exception {
    byte[] content = prepareReadback(500);
    byte[] target = new byte[500];
    assertTrue(readback(HostMemory.of(target)));
    move();
    assertArrayEquals(content, target);
    mayBlock = true;
    assertFalse(readback(HostMemory.of(target)));
    mayBlock = false;
    assertFalse(readback(HostMemory.of(target)));
  }

  @Test
  void theFirstSmallReadbackMayBlock() {
    Command small = transfer(Command.Kind.READBACK, HostMemory.of(new byte[MIB]));
    Command large = transfer(Command.Kind.READBACK, HostMemory.of(new byte[MIB + 1]));
    assertTrue(mayBlock(transfers, small));
    assertFalse(mayBlock(transfers, large));
    mayBlock = true;
    assertFalse(readback(small.host()));
    assertFalse(mayBlock(transfers, small));
    assertTrue(mayBlock(transfers, update(bytes(8))), "the memory of uploads is another");
  }

  /** So no thread of a user waits while staging memory is made, or for space in it. */
  @Test
  void anUploadThatMayBeStagedWeighsMoreAndMayBlockForStagingMemory() {
    byte[] content = bytes(64 << 10);
    Command update = update(content);
    Command upload = transfer(Command.Kind.UPLOAD, HostMemory.of(direct(bytes(MIB))));
    Command large = transfer(Command.Kind.UPLOAD, HostMemory.of(new byte[MIB + 1]));
    int capacity = 1000;
    assertEquals(StagingRing.weight(content.length, capacity), weight(update, capacity));
    assertEquals(StagingRing.weight(MIB, capacity), weight(upload, capacity));
    assertEquals(1, weight(large, capacity));
    assertEquals(1, weight(command(Command.Kind.COPY, Map.of()), capacity));
    assertTrue(mayBlock(transfers, update));
    assertTrue(mayBlock(transfers, upload));
    assertFalse(mayBlock(transfers, large));
    device.run(
        () -> {
          transfers.update(update, submission(false));
          stream.synchronize();
        });
    assertContent(content);
    assertFalse(mayBlock(transfers, upload));
  }

  /** It may have to be staged when it is issued, so it weighs as much as any. */
  @Test
  void aDirectUploadDoesNotBlock() {
    HostTransfers direct =
        new HostTransfers(stream, device.ring) {
          @Override
          protected boolean isDirect(HostMemory memory) {
            return !memory.isOnHeap();
          }
        };
    Command upload = transfer(Command.Kind.UPLOAD, HostMemory.of(direct(bytes(MIB))));
    assertEquals(StagingRing.weight(MIB, 1000), weight(upload, 1000));
    assertFalse(mayBlock(direct, upload));
    Command other = transfer(Command.Kind.UPLOAD, HostMemory.of(bytes(MIB)));
    assertTrue(mayBlock(direct, other));
  }

  private static int weight(Command command, int capacity) {
    return HostTransfers.weight(command, capacity);
  }

  private static boolean mayBlock(HostTransfers of, Command command) {
    return of.mayBlock(
        new CommandList() {
          @Override
          public int size() {
            return 1;
          }

          @Override
          public Command get(int index) {
            return command;
          }
        });
  }
}
