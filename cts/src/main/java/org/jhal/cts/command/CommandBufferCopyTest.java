// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.command;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.TestData.filled;

import java.util.Arrays;
import java.util.stream.Stream;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.DeviceBuffer;
import org.jhal.FillPattern;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Commands;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.TestData;
import org.jhal.cts.support.TransferCases;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Recorded copies. */
@CtsSuite
class CommandBufferCopyTest {
  static Stream<Arguments> classes() {
    return TransferCases.inBothForms(TransferCases.copyClasses());
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M2")
  void copiesAWholeBufferFromTheHost(Commands.Form form, Cts cts) {
    DeviceBuffer source = cts.buffer(cts.device(), 1024, BufferParams.HOST);
    cts.write(source, 0, filled(1024, 0x54));
    DeviceBuffer target = cts.buffer(1024);
    Commands commands = new Commands(cts, form);
    commands.buffer().copy(commands.ref(source), 0, commands.ref(target), 0, 1024);
    commands.run(cts.queue());
    assertBytes(filled(1024, 0x54), cts.read(target), "the copy");
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"M2", "M3"})
  void disjointRangesNeedNoBarrier(Commands.Form form, Cts cts) {
    DeviceBuffer source = cts.buffer(bytes(1024));
    DeviceBuffer target = cts.buffer(filled(1024, 0x33));
    Commands commands = new Commands(cts, form);
    CommandBuffer buffer = commands.buffer();
    buffer.fill(commands.ref(target), 0, 8, FillPattern.of8(0x11));
    buffer.copy(commands.ref(source), 4, commands.ref(target), 8, 508);
    buffer.fill(commands.ref(target), 516, 508, FillPattern.of8(0x22));
    commands.run(cts.queue());
    byte[] expected = TestData.with(filled(1024, 0x22), 0, filled(8, 0x11));
    byte[] copied = Arrays.copyOfRange(bytes(1024), 4, 512);
    assertBytes(TestData.with(expected, 8, copied), cts.read(target), "three parts of one buffer");
  }

  @ParameterizedTest
  @MethodSource("classes")
  @Rule("M2")
  void copiesEachClassOfSizeAndAlignment(Commands.Form form, TransferCases.Copy copy, Cts cts) {
    DeviceBuffer source = cts.buffer(copy.source());
    DeviceBuffer target = cts.buffer(copy.before());
    Commands commands = new Commands(cts, form);
    commands
        .buffer()
        .copy(
            commands.ref(source),
            copy.sourceOffset(),
            commands.ref(target),
            copy.targetOffset(),
            copy.length());
    commands.run(cts.queue());
    assertBytes(copy.after(), cts.read(target), "the target");
    assertBytes(copy.source(), cts.read(source), "the source");
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M2")
  void copiesWithinOneBuffer(Commands.Form form, Cts cts) {
    DeviceBuffer buffer = cts.buffer(bytes(96));
    Commands commands = new Commands(cts, form);
    // The ranges touch at 32 and at 64, but do not overlap.
    commands.buffer().copy(commands.ref(buffer), 32, commands.ref(buffer), 0, 32);
    commands.buffer().copy(commands.ref(buffer, 32, 32), 0, commands.ref(buffer, 64, 32), 0, 32);
    commands.run(cts.queue());
    byte[] middle = Arrays.copyOfRange(bytes(96), 32, 64);
    byte[] expected = TestData.with(TestData.with(bytes(96), 0, middle), 64, middle);
    assertBytes(expected, cts.read(buffer), "a buffer with its middle copied to both ends");
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M2")
  void aCopyOfLengthZeroDoesNothing(Commands.Form form, Cts cts) {
    DeviceBuffer buffer = cts.buffer(bytes(16));
    DeviceBuffer other = cts.buffer(filled(16, 0));
    Commands commands = new Commands(cts, form);
    commands.buffer().copy(commands.ref(buffer), 16, commands.ref(other), 4, 0);
    commands.buffer().copy(commands.ref(buffer), 3, commands.ref(buffer), 3, 0);
    commands.run(cts.queue());
    assertBytes(bytes(16), cts.read(buffer), "the source");
    assertBytes(filled(16, 0), cts.read(other), "the target");
  }
}
