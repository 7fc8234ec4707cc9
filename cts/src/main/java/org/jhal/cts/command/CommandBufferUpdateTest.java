// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.command;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.TestData.filled;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.stream.Stream;
import org.jhal.DeviceBuffer;
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

/** Recorded updates. */
@CtsSuite
class CommandBufferUpdateTest {
  /** One update exceeds every runtime's limit for recorded updates. */
  static Stream<Arguments> classes() {
    return TransferCases.inBothForms(
        Stream.concat(
            TransferCases.updateClasses(),
            Stream.of(
                new TransferCases.Copy(0, 0, 16),
                new TransferCases.Copy(0, 0, 256),
                new TransferCases.Copy(4, 4, 8),
                new TransferCases.Copy(1, 3, 2 * 65_536 + 37))));
  }

  @ParameterizedTest
  @MethodSource("classes")
  @Rule("M2")
  void updatesEachClassOfSizeAndAlignment(Commands.Form form, TransferCases.Copy update, Cts cts) {
    DeviceBuffer target = cts.buffer(update.before());
    Commands commands = new Commands(cts, form);
    ByteBuffer source =
        ByteBuffer.wrap(update.source(), update.sourceOffset(), update.length()).asReadOnlyBuffer();
    commands.buffer().update(source, commands.ref(target), update.targetOffset());
    commands.run(cts.queue());
    assertBytes(update.after(), cts.read(target), "the updated buffer");
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M2")
  void offsetsAreRelativeToTheNamedRange(Commands.Form form, Cts cts) {
    DeviceBuffer target = cts.buffer(filled(32, 0));
    Commands commands = new Commands(cts, form);
    commands.buffer().update(ByteBuffer.wrap(bytes(8)), commands.ref(target, 8, 16), 4);
    commands.run(cts.queue());
    assertBytes(TestData.with(filled(32, 0), 12, bytes(8)), cts.read(target), "the whole buffer");
    assertBytes(
        TestData.with(filled(16, 0), 4, bytes(8)), cts.read(target.slice(8, 16)), "the slice");
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M2")
  void anUpdateOfLengthZeroDoesNothing(Commands.Form form, Cts cts) {
    DeviceBuffer target = cts.buffer(bytes(16));
    Commands commands = new Commands(cts, form);
    commands.buffer().update(ByteBuffer.allocate(0), commands.ref(target), 16);
    commands.run(cts.queue());
    assertBytes(bytes(16), cts.read(target), "the buffer");
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"Q2", "M2"})
  void eachUpdateCapturesItsBytes(Commands.Form form, Cts cts) {
    DeviceBuffer target = cts.buffer(filled(64, 0));
    Commands commands = new Commands(cts, form);
    ByteBuffer source = ByteBuffer.allocateDirect(16);
    for (int i = 0; i < 4; i++) {
      source.clear().put(filled(16, 1 + i)).flip();
      commands.buffer().update(source, commands.ref(target), 16L * i);
    }
    source.clear().put(filled(16, 0xEE));
    commands.run(cts.queue());
    byte[] actual = cts.read(target);
    for (int i = 0; i < 4; i++) {
      byte[] part = Arrays.copyOfRange(actual, 16 * i, 16 * (i + 1));
      assertBytes(filled(16, 1 + i), part, "update " + i);
    }
  }
}
