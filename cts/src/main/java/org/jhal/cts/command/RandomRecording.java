// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.command;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.TestData.toInts;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.jhal.Args;
import org.jhal.BindingTable;
import org.jhal.BufferRef;
import org.jhal.CommandBuffer;
import org.jhal.DeviceBuffer;
import org.jhal.FillPattern;
import org.jhal.Slot;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.support.Cts;

/**
 * A reusable recording of random commands on buffers of 32 ints, some named directly and some
 * through slots, with a model of their expected content. There is a barrier before each command
 * that conflicts with an earlier one, and before a few others.
 *
 * <p>Used by one thread.
 */
final class RandomRecording {
  private static final int INTS = 32;
  private static final int DIRECT = 4;
  private static final int SLOTS = 4;
  private static final int BINDABLE = 8;

  private final Cts cts;
  private final Random random;
  private final CommandBuffer commands;

  // The first DIRECT of them are named directly; the others are bound to slots.
  private final List<DeviceBuffer> buffers = new ArrayList<>();
  private final List<int[]> model = new ArrayList<>(); // the expected content of each buffer

  // The effect of each command on the content of the places. A place is a direct buffer or a slot.
  private final List<Consumer<int[][]>> effects = new ArrayList<>();

  // The places that were read and written since the last barrier.
  private final BitSet read = new BitSet();
  private final BitSet written = new BitSet();

  /** Records {@code count} commands. */
  RandomRecording(Cts cts, int count) {
    this.cts = cts;
    this.random = cts.random();
    for (int i = 0; i < DIRECT + BINDABLE; i++) {
      int start = 1000 * i;
      DeviceBuffer whole = cts.buffer(4 * (3 * INTS));
      DeviceBuffer buffer = whole.slice(4L * random.nextInt(2 * INTS), 4 * INTS);
      cts.write(buffer, 0, ints(INTS, n -> start + n));
      buffers.add(buffer);
      model.add(toInts(ints(INTS, n -> start + n)));
    }
    commands = cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.REUSABLE));
    for (int i = 0; i < count; i++) {
      record();
    }
    commands.end();
  }

  private BufferRef ref(int place) {
    return place < DIRECT ? buffers.get(place) : Slot.of(place - DIRECT);
  }

  private void record() {
    int target = random.nextInt(DIRECT + SLOTS);
    int source = (target + 1 + random.nextInt(DIRECT + SLOTS - 1)) % (DIRECT + SLOTS);
    int kind = random.nextInt(5);
    boolean readsSource = kind == 2 || kind == 3;
    if (random.nextInt(10) == 0
        || written.get(target)
        || read.get(target)
        || (readsSource && written.get(source))) {
      commands.barrier();
      read.clear();
      written.clear();
    }
    written.set(target);
    if (readsSource) {
      read.set(source);
    }
    int value = random.nextInt();
    int at = random.nextInt(INTS - 4);
    int length = 1 + random.nextInt(4);
    switch (kind) {
      case 0 -> {
        commands.fill(ref(target), 4L * at, 4L * length, FillPattern.of32(value));
        effects.add(
            held -> {
              for (int i = 0; i < length; i++) {
                held[target][at + i] = value;
              }
            });
      }
      case 1 -> {
        ByteBuffer bytes = ByteBuffer.allocate(4 * length).order(ByteOrder.nativeOrder());
        for (int i = 0; i < length; i++) {
          bytes.putInt(4 * i, value + i);
        }
        commands.update(bytes, ref(target), 4L * at);
        effects.add(
            held -> {
              for (int i = 0; i < length; i++) {
                held[target][at + i] = value + i;
              }
            });
      }
      case 2 -> {
        int from = random.nextInt(INTS - 4);
        commands.copy(ref(source), 4L * from, ref(target), 4L * at, 4L * length);
        effects.add(held -> System.arraycopy(held[source], from, held[target], at, length));
      }
      case 3 -> {
        commands.dispatch(
            cts.kernel("scale_and_offset"),
            Workgroups.of(INTS),
            Args.of(ref(source), ref(target), 3, value));
        effects.add(
            held -> {
              for (int i = 0; i < INTS; i++) {
                held[target][i] = 3 * held[source][i] + value;
              }
            });
      }
      default -> {
        commands.dispatch(
            cts.kernel("twice"), Workgroups.of(INTS), Args.of(ref(target), ref(target)));
        effects.add(
            held -> {
              for (int i = 0; i < INTS; i++) {
                held[target][i] *= 2;
              }
            });
      }
    }
  }

  /** Submits the recording, with a random table, to run after {@code use} of the timeline. */
  void execute(TimelineSemaphore timeline, long use) {
    List<Integer> bound = new ArrayList<>();
    for (int i = 0; i < BINDABLE; i++) {
      bound.add(DIRECT + i);
    }
    if (random.nextInt(3) > 0) { // otherwise, the initial order
      Collections.shuffle(bound, random);
    }
    BindingTable table = new BindingTable(SLOTS);
    int[][] held = new int[DIRECT + SLOTS][];
    for (int place = 0; place < held.length; place++) {
      int index = place < DIRECT ? place : bound.get(place - DIRECT);
      held[place] = model.get(index);
      if (place >= DIRECT) {
        table.set(place - DIRECT, buffers.get(index));
      }
    }
    effects.forEach(effect -> effect.accept(held));
    cts.queue(random.nextInt(cts.device().queueCount()))
        .execute(timeline.at(use), timeline.at(use + 1), commands, table);
  }

  /** Compares all buffers with the model, after all submissions have ended. */
  void check() {
    for (int i = 0; i < buffers.size(); i++) {
      int[] expected = model.get(i);
      assertBytes(ints(INTS, n -> expected[n]), cts.read(buffers.get(i)), "buffer " + i);
    }
  }
}
