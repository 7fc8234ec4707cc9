// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.stress;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.Waits.awaitReached;

import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Commands;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.TransferCases;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many recordings in sequence, and many commands in one recording. */
@CtsSuite
class CommandBufferStressTest {
  @ParameterizedTest
  @EnumSource
  @Rule({"M2", "Q9"})
  void manyFillsInSequenceAreExact(Commands.Form form, Cts cts) {
    DeviceBuffer target = cts.buffer(4096);
    for (int i = 0; i < 200; i++) {
      Commands commands = new Commands(cts, form);
      commands.buffer().fill(commands.ref(target), 0, 4096, FillPattern.of32(i));
      commands.run(cts.queue());
      if (i % 50 == 49) {
        byte[] expected = TransferCases.repeated(FillPattern.of32(i), 4096);
        assertBytes(expected, cts.read(target), "after fill " + i);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"M2", "Q9"})
  void manyCopiesInSequenceSeeTheHostsWrites(Commands.Form form, Cts cts) {
    DeviceBuffer source = cts.buffer(cts.device(), 4096, BufferParams.HOST);
    DeviceBuffer target = cts.buffer(4096);
    try (DeviceBuffer.Mapping mapping = source.map(DeviceBuffer.MapMode.WRITE)) {
      for (int i = 0; i < 200; i++) {
        byte[] content = TransferCases.repeated(FillPattern.of32(0x01010101 * (i & 0x7F)), 4096);
        mapping.bytes().put(0, content);
        mapping.flush();
        Commands commands = new Commands(cts, form);
        commands.buffer().copy(commands.ref(source), 0, commands.ref(target), 0, 4096);
        commands.run(cts.queue());
        if (i % 50 == 49) {
          assertBytes(content, cts.read(target), "after copy " + i);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"M2", "M3"})
  void manyFillsInOneRecording(Commands.Form form, Cts cts) {
    int count = 512;
    DeviceBuffer target = cts.buffer(new byte[4 * count]);
    Commands commands = new Commands(cts, form, CommandBuffer.Mode.REUSABLE);
    for (int i = 0; i < count; i++) {
      commands.buffer().fill(commands.ref(target), 4L * i, 4, FillPattern.of32(~i));
    }
    commands.run(cts.queue());
    assertBytes(ints(count, i -> ~i), cts.read(target), "512 fills without a barrier");
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M3")
  void aLongChainOfCommandsAndBarriers(Commands.Form form, Cts cts) {
    int count = 600;
    DeviceBuffer list = cts.buffer(new byte[4 * (1 + count)]);
    Commands commands = new Commands(cts, form);
    for (int i = 0; i < count; i++) {
      commands
          .buffer()
          .dispatch(cts.kernel("append"), Workgroups.of(1), Args.of(commands.ref(list), i));
      commands.buffer().barrier();
    }
    commands.run(cts.queue());
    byte[] expected = ints(1 + count, i -> i == 0 ? count : i - 1);
    assertBytes(expected, cts.read(list), "the bytes that the commands appended in their order");
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"M3", "Q5"})
  void aLongChainOfRecordingsKeepsItsOrder(Commands.Form form, Cts cts) {
    int count = 300;
    DeviceBuffer list = cts.buffer(new byte[4 * (1 + count)]);
    TimelineSemaphore timeline = cts.semaphore();
    for (int i = 0; i < count; i++) {
      Commands commands = new Commands(cts, form);
      commands
          .buffer()
          .dispatch(cts.kernel("append"), Workgroups.of(1), Args.of(commands.ref(list), i));
      Fence waits = i == 0 ? Fence.NONE : timeline.at(i);
      commands.submit(cts.queue(i % cts.device().queueCount()), waits, timeline.at(1 + i));
    }
    awaitReached(timeline, count);
    byte[] expected = ints(1 + count, i -> i == 0 ? count : i - 1);
    assertBytes(expected, cts.read(list), "the bytes that the recordings appended in their order");
  }
}
