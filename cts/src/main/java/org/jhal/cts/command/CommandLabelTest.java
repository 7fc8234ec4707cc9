// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.command;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.filled;

import org.jhal.Args;
import org.jhal.CommandBuffer;
import org.jhal.DeviceBuffer;
import org.jhal.FillPattern;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Commands;
import org.jhal.cts.support.Cts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Labels of commands, which say nothing about what the commands do. */
@CtsSuite
class CommandLabelTest {
  @ParameterizedTest
  @EnumSource
  @Rule({"M4a", "K6"})
  void labelsChangeNothing(CommandBuffer.Mode mode, Cts cts) {
    DeviceBuffer target = cts.buffer(filled(64, 0));
    Commands commands = new Commands(cts, Commands.Form.DIRECT, mode);
    CommandBuffer buffer = commands.buffer();
    buffer.label("both halves");
    buffer.fill(target, 0, 32, FillPattern.of8(1));
    buffer.fill(target, 32, 32, FillPattern.of8(2));
    buffer.barrier();
    buffer.label("\u00e9 \"quoted\"\n");
    buffer.dispatch(
        cts.kernel("write_parameters"), Workgroups.of(1), Args.of(target.slice(8, 12), 5, 6, 7));
    buffer.barrier();
    buffer.label("");
    buffer.label("");
    buffer.copy(target, 8, target, 40, 12);
    byte[] wanted = filled(64, 1);
    for (int i = 32; i < 64; i++) {
      wanted[i] = 2;
    }
    for (int i = 0; i < 12; i++) {
      wanted[8 + i] = wanted[40 + i] = i % 4 == 0 ? (byte) (5 + i / 4) : 0;
    }
    for (int use = mode == CommandBuffer.Mode.REUSABLE ? 4 : 1; use > 0; use--) {
      cts.write(target, 0, filled(64, 0));
      commands.run(cts.queue());
      assertBytes(wanted, cts.read(target), "what the commands wrote");
    }
  }

  @Test
  @Rule({"M4a", "M5"})
  void aRecordingThatHasEndedTakesNone(Cts cts) {
    CommandBuffer commands =
        cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.REUSABLE));
    commands.label("last");
    commands.end();
    assertHal(Status.FAILED_PRECONDITION, () -> commands.label("later"), "ENDED");
    commands.close();
    assertHal(Status.FAILED_PRECONDITION, () -> commands.label("later"), "CLOSED");
  }
}
