// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.command;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.TestData.ints;

import java.nio.ByteBuffer;
import java.util.stream.Stream;
import org.jhal.Args;
import org.jhal.CommandBuffer;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Workgroups;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Barriers order commands of every kind: reads after writes, writes after reads, and writes after
 * writes (rule M3). One run proves little on a device that happens to keep the order, so each pair
 * is repeated in one recording.
 */
@CtsSuite
class CommandOrderTest {
  private static final int ROUNDS = 16;
  private static final int COUNT = 256; // ints of each buffer

  /** A command that makes all ints of a buffer the same. */
  enum Write {
    FILL {
      @Override
      void record(Context context, int value) {
        context.commands.fill(context.data, 0, 4L * COUNT, FillPattern.of32(value));
      }
    },
    UPDATE {
      @Override
      void record(Context context, int value) {
        context.commands.update(ByteBuffer.wrap(ints(COUNT, i -> value)), context.data, 0);
      }
    },
    COPY {
      @Override
      void record(Context context, int value) {
        DeviceBuffer source = context.cts.buffer(ints(COUNT, i -> value));
        context.commands.copy(source, 0, context.data, 0, 4L * COUNT);
      }
    },
    DISPATCH {
      @Override
      void record(Context context, int value) {
        context.commands.dispatch(
            context.cts.kernel("scale_and_offset"),
            Workgroups.of(COUNT),
            Args.of(context.zeros, context.data, 1, value));
      }
    };

    abstract void record(Context context, int value);
  }

  /** A command that reads all of a buffer into another one. */
  enum Read {
    COPY {
      @Override
      void record(Context context, DeviceBuffer target) {
        context.commands.copy(context.data, 0, target, 0, 4L * COUNT);
      }
    },
    DISPATCH {
      @Override
      void record(Context context, DeviceBuffer target) {
        context.commands.dispatch(
            context.cts.kernel("scale_and_offset"),
            Workgroups.of(COUNT),
            Args.of(context.data, target, 1, 0));
      }
    };

    abstract void record(Context context, DeviceBuffer target);
  }

  /** The objects that a test records with. */
  private static final class Context {
    final Cts cts;
    final DeviceBuffer zeros;
    final DeviceBuffer data;
    final CommandBuffer commands;

    Context(Cts cts) {
      this.cts = cts;
      this.zeros = cts.buffer(new byte[4 * COUNT]);
      this.data = cts.buffer(filled(4 * COUNT, 0xEE));
      this.commands = cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.ONE_SHOT));
    }

    void run() {
      commands.end();
      try (var done = cts.device().createSemaphore(0)) {
        cts.queue().execute(Fence.NONE, done.at(1), commands);
        Waits.awaitReached(done, 1);
      }
    }
  }

  static Stream<Arguments> pairs() {
    return Stream.of(Write.values())
        .flatMap(write -> Stream.of(Read.values()).map(read -> Arguments.of(write, read)));
  }

  static Stream<Arguments> writes() {
    return Stream.of(Write.values())
        .flatMap(first -> Stream.of(Write.values()).map(second -> Arguments.of(first, second)));
  }

  @ParameterizedTest
  @MethodSource("pairs")
  @Rule("M3")
  void aReadSeesTheWriteBeforeTheBarrier(Write write, Read read, Cts cts) {
    Context context = new Context(cts);
    DeviceBuffer[] targets = new DeviceBuffer[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
      targets[i] = cts.buffer(4 * COUNT);
      write.record(context, 100 + i);
      context.commands.barrier();
      read.record(context, targets[i]);
      context.commands.barrier(); // the next write may not overtake the read
    }
    context.run();
    for (int i = 0; i < ROUNDS; i++) {
      int value = 100 + i;
      assertBytes(
          ints(COUNT, n -> value), cts.read(targets[i]), "the bytes that copy " + i + " read");
    }
  }

  @ParameterizedTest
  @MethodSource("writes")
  @Rule("M3")
  void theWriteAfterTheBarrierWins(Write first, Write second, Cts cts) {
    Context context = new Context(cts);
    for (int i = 0; i < ROUNDS; i++) {
      first.record(context, 100 + i);
      context.commands.barrier();
      second.record(context, 200 + i);
      context.commands.barrier();
    }
    context.run();
    assertBytes(ints(COUNT, n -> 200 + ROUNDS - 1), cts.read(context.data), "the last write");
  }
}
