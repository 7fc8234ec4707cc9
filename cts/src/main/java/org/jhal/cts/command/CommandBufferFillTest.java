// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.command;

import static org.jhal.cts.support.TestData.assertBytes;

import java.util.stream.Stream;
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

/** Recorded fills. */
@CtsSuite
class CommandBufferFillTest {
  static Stream<Arguments> small() {
    return TransferCases.inBothForms(TransferCases.smallFills());
  }

  static Stream<Arguments> classes() {
    return TransferCases.inBothForms(TransferCases.fillClasses());
  }

  private static void check(Commands.Form form, TransferCases.Fill fill, Cts cts) {
    DeviceBuffer target = cts.buffer(fill.before());
    Commands commands = new Commands(cts, form);
    commands.buffer().fill(commands.ref(target), fill.offset(), fill.length(), fill.pattern());
    commands.run(cts.queue());
    assertBytes(fill.after(), cts.read(target), "the filled buffer");
  }

  @ParameterizedTest
  @MethodSource("small")
  @Rule("M2")
  void fillsAFewBytes(Commands.Form form, TransferCases.Fill fill, Cts cts) {
    check(form, fill, cts);
  }

  @ParameterizedTest
  @MethodSource("classes")
  @Rule("M2")
  void fillsEachClassOfSizeAlignmentAndPattern(
      Commands.Form form, TransferCases.Fill fill, Cts cts) {
    check(form, fill, cts);
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M2")
  void offsetsAreRelativeToTheNamedRange(Commands.Form form, Cts cts) {
    DeviceBuffer target = cts.buffer(TestData.filled(64, 0));
    Commands commands = new Commands(cts, form);
    commands.buffer().fill(commands.ref(target, 16, 32), 8, 12, FillPattern.of32(0x11223344));
    commands.run(cts.queue());
    byte[] filled = TransferCases.repeated(FillPattern.of32(0x11223344), 12);
    assertBytes(
        TestData.with(TestData.filled(64, 0), 24, filled), cts.read(target), "the whole buffer");
    assertBytes(
        TestData.with(TestData.filled(32, 0), 8, filled),
        cts.read(target.slice(16, 32)),
        "the slice");
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M2")
  void aFillOfLengthZeroDoesNothing(Commands.Form form, Cts cts) {
    DeviceBuffer target = cts.buffer(TestData.bytes(16));
    Commands commands = new Commands(cts, form);
    commands.buffer().fill(commands.ref(target), 0, 0, FillPattern.of32(-1));
    commands.buffer().fill(commands.ref(target), 16, 0, FillPattern.of8(1));
    commands.run(cts.queue());
    assertBytes(TestData.bytes(16), cts.read(target), "the buffer");
  }
}
