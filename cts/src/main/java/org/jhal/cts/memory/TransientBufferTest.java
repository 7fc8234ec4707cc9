// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.memory;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.awaitReached;

import java.nio.ByteBuffer;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jhal.BufferParams;
import org.jhal.BufferRef;
import org.jhal.CommandBuffer;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.MemoryType;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Commands;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.TestData;
import org.jhal.cts.support.TransferCases;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Command buffers that use memory which a timeline allocates and frees: rule M1. */
@CtsSuite
class TransientBufferTest {
  /** Allocates, executes, reads back and frees, ordered by one timeline. Returns what was read. */
  private static byte[] onTransient(
      Cts cts,
      Commands.Form form,
      int size,
      BufferParams params,
      BiConsumer<CommandBuffer, BufferRef> record) {
    DeviceQueue queue = cts.queue();
    TimelineSemaphore timeline = cts.semaphore();
    DeviceBuffer buffer = cts.closing(queue.alloca(Fence.NONE, timeline.at(1), size, params));
    Commands commands = new Commands(cts, form);
    record.accept(commands.buffer(), commands.ref(buffer));
    commands.submit(queue, timeline.at(1), timeline.at(2));
    byte[] read = new byte[size];
    queue.readback(timeline.at(2), timeline.at(3), buffer, 0, ByteBuffer.wrap(read));
    queue.dealloca(timeline.at(3), timeline.at(4), buffer);
    awaitReached(timeline, 4);
    return read;
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M1")
  void fillsAnAllocaBuffer(Commands.Form form, Cts cts) {
    FillPattern pattern = FillPattern.of32(0xDEADBEEF);
    byte[] read =
        onTransient(
            cts,
            form,
            1024,
            BufferParams.DEVICE,
            (commands, buffer) -> commands.fill(buffer, 0, 1024, pattern));
    assertBytes(TransferCases.repeated(pattern, 1024), read, "the transient buffer");
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"M1", "M3"})
  void fillsARangeOfAnAllocaBuffer(Commands.Form form, Cts cts) {
    byte[] read =
        onTransient(
            cts,
            form,
            256,
            BufferParams.DEVICE,
            (commands, buffer) -> {
              commands.fill(buffer, 0, 256, FillPattern.ZERO);
              commands.barrier();
              commands.fill(buffer, 64, 128, FillPattern.of8(0x5C));
            });
    assertBytes(TestData.with(filled(256, 0), 64, filled(128, 0x5C)), read, "the transient buffer");
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M1")
  void fillsAnAllocaBufferWithSingleBytes(Commands.Form form, Cts cts) {
    byte[] read =
        onTransient(
            cts,
            form,
            512,
            BufferParams.DEVICE,
            (commands, buffer) -> commands.fill(buffer, 0, 512, FillPattern.of8(0xAB)));
    assertBytes(filled(512, 0xAB), read, "the transient buffer");
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M1")
  void fillsAnAllocaBufferWithoutExplicitUsages(Commands.Form form, Cts cts) {
    byte[] read =
        onTransient(
            cts,
            form,
            256,
            new BufferParams(MemoryType.DEVICE, Set.of()),
            (commands, buffer) -> commands.fill(buffer, 0, 256, FillPattern.of16(0x1234)));
    assertBytes(TransferCases.repeated(FillPattern.of16(0x1234), 256), read, "the buffer");
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M1")
  void copiesToAnAllocaBuffer(Commands.Form form, Cts cts) {
    DeviceBuffer source = cts.buffer(cts.device(), 512, BufferParams.HOST_UPLOAD);
    cts.write(source, 0, bytes(512));
    byte[] read =
        onTransient(
            cts,
            form,
            512,
            BufferParams.DEVICE,
            (commands, buffer) -> commands.copy(source, 0, buffer, 0, 512));
    assertBytes(bytes(512), read, "the transient buffer");
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"M1", "M3"})
  void copiesFromAnAllocaBuffer(Commands.Form form, Cts cts) {
    DeviceBuffer target = cts.buffer(512);
    onTransient(
        cts,
        form,
        512,
        BufferParams.DEVICE,
        (commands, buffer) -> {
          commands.update(ByteBuffer.wrap(bytes(512)), buffer, 0);
          commands.barrier();
          commands.copy(buffer, 0, target, 0, 512);
        });
    assertBytes(bytes(512), cts.read(target), "the copy");
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"M1", "M3"})
  void fillsAndCopiesAnAllocaBufferInOrder(Commands.Form form, Cts cts) {
    DeviceBuffer target = cts.buffer(256);
    onTransient(
        cts,
        form,
        256,
        BufferParams.DEVICE,
        (commands, buffer) -> {
          commands.fill(buffer, 0, 256, FillPattern.of8(0x42));
          commands.barrier();
          commands.copy(buffer, 0, target, 0, 256);
        });
    assertBytes(filled(256, 0x42), cts.read(target), "the copy");
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M1")
  void updatesAnAllocaBuffer(Commands.Form form, Cts cts) {
    byte[] content = ints(16, i -> 3 * i);
    byte[] read =
        onTransient(
            cts,
            form,
            64,
            BufferParams.DEVICE,
            (commands, buffer) -> commands.update(ByteBuffer.wrap(content), buffer, 0));
    assertBytes(content, read, "the transient buffer");
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"M1", "Q1", "S5"})
  void anAllocaBufferMayBeUsedInSubmissionsBeforeItsAllocaIsIssued(Commands.Form form, Cts cts) {
    DeviceQueue queue = cts.queue();
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore timeline = cts.semaphore();
    DeviceBuffer buffer =
        cts.closing(queue.alloca(go.at(1), timeline.at(1), 256, BufferParams.DEVICE));
    DeviceBuffer result = cts.buffer(256);
    Commands commands = new Commands(cts, form);
    commands.buffer().fill(commands.ref(buffer, 0, 128), 0, 128, FillPattern.of8(0x17));
    commands.buffer().fill(commands.ref(buffer, 128, 128), 0, 128, FillPattern.of8(0x18));
    commands.buffer().barrier();
    commands.buffer().copy(commands.ref(buffer), 0, commands.ref(result), 0, 256);
    commands.submit(queue, timeline.at(1), timeline.at(2));
    queue.dealloca(timeline.at(2), timeline.at(3), buffer);
    cts.flush(queue);
    assertPending(timeline, 1);
    go.signal(1);
    awaitReached(timeline, 3);
    assertBytes(
        TestData.with(filled(256, 0x18), 0, filled(128, 0x17)), cts.read(result), "the copy");
  }
}
