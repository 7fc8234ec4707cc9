// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.format;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** What happened, in an order in which it may happen again. */
public sealed interface Step {
  /** There is memory from here on. */
  record Allocated(int memory) implements Step {}

  /** Memory is gone. */
  record Freed(int memory) implements Step {}

  /** The host has written a range, by a mapping or as its own memory. */
  record HostWrite(Range range, int payload) implements Step {}

  /**
   * An operation was issued.
   *
   * @param index its place among the operations of the recording, from 0
   * @param queue the number of its queue
   * @param number its number on that queue
   * @param kind in one or two words
   * @param waits the number of a timeline and its value, by turns
   * @param signals likewise
   * @param isUnseen whether it has changed memory by other means than its actions
   */
  record Operation(
      int index,
      int queue,
      long number,
      String kind,
      List<Long> waits,
      List<Long> signals,
      boolean isUnseen,
      List<Action> actions)
      implements Step {
    private static final int UNSEEN = 1; // flags
    private static final int LIST = 2;

    /** Adds all but the actions to {@code to}. */
    public static void writeHead(
        ByteWriter to,
        int queue,
        long number,
        String kind,
        long[] waits,
        long[] signals,
        boolean isUnseen) {
      to.number(queue).number(number).text(kind);
      writeNumbers(to, waits);
      writeNumbers(to, signals);
      to.octet(isUnseen ? UNSEEN : 0);
    }

    private static void writeNumbers(ByteWriter to, long[] numbers) {
      to.number(numbers.length);
      for (long one : numbers) {
        to.number(one);
      }
    }

    /** Adds actions, behind the head. */
    public static void writeActions(ByteWriter to, List<Action> actions) {
      to.octet(0).number(actions.size());
      actions.forEach(action -> Action.write(action, to));
    }

    /** Adds the number of a payload that has the actions, behind the head. */
    public static void writeList(ByteWriter to, int count, int payload) {
      to.octet(LIST).number(count).number(payload);
    }

    /** Reads an operation; {@code payloads} gives the bytes of a payload. */
    static Operation read(int index, ByteReader from, Payloads payloads, int queues)
        throws IOException {
      int queue = from.index(queues);
      long number = from.number();
      String kind = from.text();
      List<Long> waits = readNumbers(from);
      List<Long> signals = readNumbers(from);
      boolean isUnseen = (from.octet() & UNSEEN) != 0;
      boolean isList = (from.octet() & LIST) != 0;
      int count = from.index();
      ByteReader list = isList ? new ByteReader(payloads.payload(from.index())) : from;
      List<Action> actions = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        actions.add(Action.read(list));
      }
      return new Operation(index, queue, number, kind, waits, signals, isUnseen, actions);
    }

    private static List<Long> readNumbers(ByteReader from) {
      List<Long> numbers = new ArrayList<>();
      for (int left = from.index(); left > 0; left--) {
        numbers.add(from.number());
      }
      return numbers;
    }

    /** The bytes of payloads. */
    interface Payloads {
      byte[] payload(int number) throws IOException;
    }
  }
}
