// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.translate;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import org.jhal.spirv.assembly.Capability;
import org.jhal.spirv.assembly.Decoration;
import org.jhal.spirv.assembly.FunctionBuilder;
import org.jhal.spirv.assembly.ModuleBuilder;
import org.jhal.spirv.assembly.Storage;
import org.jhal.spirv.module.Op;
import org.jspecify.annotations.Nullable;

/**
 * How lanes of a warp meet where subgroups are smaller than warps: functions that a module gets.
 *
 * <p>All work items of the workgroup take part in rounds, which are two barriers each. Who waits
 * for others, or has ended, repeats rounds until its condition holds. Between the two barriers
 * nobody changes anything, so all who wait for the same see the same, and go on after the same
 * round.
 *
 * <p>A lane that is elsewhere when others of its subgroup meet goes on only with them, such as one
 * that has left a loop in which they are. So it is away, and nobody waits for it: who waits for the
 * workgroup waits for each of its subgroups.
 */
final class Meetings {
  private static final int WARP = 32;
  private static final int WORKGROUP = 2;
  private static final int SUBGROUP = 3;
  private static final int WAITING = 0; // the counter of subgroups that wait for the workgroup
  private static final int ENDED = 1; // the counter of subgroups that have ended
  private static final int ALL = 2; // the counter of subgroups

  private final Translation translation;
  private final ModuleBuilder out;
  private final BuiltIns builtIns;
  private int shuffle; // functions, 0 until they are used
  private int ballot;
  private int sync;
  private int values; // variables, 0 until they are used
  private int masks;
  private int ended; // a bit for each lane, by warp
  private int counters;
  private int away; // likewise
  private int own; // the variable for a bit for each work item of the subgroup

  Meetings(Translation translation) {
    this.translation = translation;
    out = translation.out();
    builtIns = translation.builtIns();
  }

  /** The value of another lane; the mask has a bit for each lane that meets. */
  int shuffle(FunctionBuilder code, int value, int lane, int mask) {
    if (shuffle == 0) {
      shuffle = make(3, (to, given) -> meet(to, given[0], given[2], () -> valueOf(to, given[1])));
    }
    return code.call(out.u32(), shuffle, value, lane, mask);
  }

  /** A bit for each lane of the mask whose number is not 0. */
  int ballot(FunctionBuilder code, int number, int mask) {
    if (ballot == 0) {
      ballot = make(2, (to, given) -> meet(to, given[0], given[1], () -> votes(to, given[1])));
    }
    return code.call(out.u32(), ballot, number, mask);
  }

  /** Waits for all work items that have not ended. */
  void sync(FunctionBuilder code) {
    if (sync == 0) {
      sync = make(0, (to, given) -> waitForAll(to));
    }
    code.call(out.u32(), sync);
  }

  /** What comes before a kernel. */
  void begin(FunctionBuilder code) {
    int item = builtIns.item(code);
    code.add(Op.STORE, element(code, masks(), item), out.constant(0));
    int isFirst =
        code.test(
            Op.I_EQUAL, code.u32(Op.BITWISE_AND, item, out.constant(WARP - 1)), out.constant(0));
    code.when(
        isFirst,
        () -> {
          code.add(Op.STORE, element(code, ended(), warp(code, item)), out.constant(0));
          code.add(Op.STORE, element(code, away(), warp(code, item)), out.constant(0));
          code.add(Op.STORE, counter(code, WAITING), out.constant(0));
          code.add(Op.STORE, counter(code, ENDED), out.constant(0));
          code.add(Op.STORE, counter(code, ALL), out.constant(0));
        });
    barrier(code);
    // NumSubgroups of lavapipe counts work items along x as if rows were filled.
    once(code, Op.ATOMIC_I_ADD, ALL);
    code.add(Op.STORE, own(code), here(code));
    barrier(code);
  }

  /** What comes after a kernel: an ended work item takes part in rounds as long as others do. */
  void end(FunctionBuilder code) {
    int item = builtIns.item(code);
    int bit = code.u32(Op.SHIFT_LEFT_LOGICAL, out.constant(1), lane(code, item));
    atomic(code, Op.ATOMIC_OR, element(code, ended(), warp(code, item)), bit);
    once(code, Op.ATOMIC_I_ADD, ENDED);
    repeat(
        code,
        () -> code.test(Op.I_EQUAL, code.load(out.u32(), counter(code, ENDED)), subgroups(code)));
  }

  // ---- the functions ----

  private interface Body {
    int add(FunctionBuilder to, int[] given);
  }

  private int make(int parameters, Body body) {
    int id = out.id();
    List<Integer> types = new ArrayList<>();
    List<Integer> ids = new ArrayList<>();
    for (int i = 0; i < parameters; i++) {
      types.add(out.u32());
      ids.add(out.id());
    }
    FunctionBuilder to = new FunctionBuilder(out, id, out.u32(), types, ids);
    int result = body.add(to, ids.stream().mapToInt(given -> given).toArray());
    to.add(Op.RETURN_VALUE, result);
    translation.add(id, to);
    return id;
  }

  private int meet(FunctionBuilder code, int value, int mask, IntSupplier result) {
    int item = builtIns.item(code);
    code.add(Op.STORE, element(code, values(), item), value);
    code.add(Op.STORE, element(code, masks(), item), mask);
    changeAway(code, item, true);
    int[] found = new int[1];
    repeat(
        code,
        () -> {
          found[0] = result.getAsInt();
          return areHere(code, mask);
        },
        () -> { // others of the subgroup may still wait, and hold this lane back
          code.add(Op.STORE, element(code, values(), item), found[0]);
          code.add(Op.STORE, element(code, masks(), item), out.constant(0));
        });
    changeAway(code, item, false);
    return code.load(out.u32(), element(code, values(), item));
  }

  /** Says which lanes of the subgroup are away, for those that are here, or that none is. */
  private void changeAway(FunctionBuilder code, int item, boolean isSet) {
    int number = builtIns.number(code, Decoration.SUBGROUP_LOCAL_INVOCATION_ID);
    int start = code.u32(Op.I_SUB, item, number); // of the subgroup
    int first = lane(code, start);
    int all = code.load(out.u32(), own(code));
    int missing = code.u32(Op.BITWISE_AND, all, code.u32(Op.NOT, here(code)));
    code.when(
        isElected(code),
        () -> {
          int warp = warp(code, start);
          changeBits(
              code,
              warp,
              code.u32(Op.SHIFT_LEFT_LOGICAL, all, first),
              isSet ? code.u32(Op.SHIFT_LEFT_LOGICAL, missing, first) : 0);
          int others = beyond(code, all, first); // a subgroup may be in two warps
          code.when(
              code.test(Op.I_NOT_EQUAL, others, out.constant(0)),
              () ->
                  changeBits(
                      code,
                      code.u32(Op.I_ADD, warp, out.constant(1)),
                      others,
                      isSet ? beyond(code, missing, first) : 0));
        });
  }

  /** The bits that a shift to the left leaves out of a word. */
  private int beyond(FunctionBuilder code, int bits, int shift) {
    int half = code.u32(Op.SHIFT_RIGHT_LOGICAL, bits, out.constant(1));
    int rest = code.u32(Op.I_SUB, out.constant(WARP - 1), shift);
    return code.u32(Op.SHIFT_RIGHT_LOGICAL, half, rest);
  }

  private void changeBits(FunctionBuilder code, int warp, int all, int missing) {
    int bits = element(code, away(), warp);
    atomic(code, Op.ATOMIC_AND, bits, code.u32(Op.NOT, all));
    if (missing != 0) {
      atomic(code, Op.ATOMIC_OR, bits, missing);
    }
  }

  private int own(FunctionBuilder code) {
    if (own == 0) {
      own = out.variable(Storage.PRIVATE, out.u32());
    }
    return code.global(own);
  }

  /** A bit for each lane of the subgroup that is here. */
  private int here(FunctionBuilder code) {
    out.capability(Capability.GROUP_NON_UNIFORM_BALLOT);
    int all =
        code.value(
            Op.GROUP_NON_UNIFORM_BALLOT,
            out.type(Op.TYPE_VECTOR, out.u32(), 4),
            out.constant(SUBGROUP),
            out.declared(Op.CONSTANT_TRUE, out.bool()));
    return code.u32(Op.COMPOSITE_EXTRACT, all, 0);
  }

  private int isElected(FunctionBuilder code) {
    return code.test(Op.GROUP_NON_UNIFORM_ELECT, out.constant(SUBGROUP));
  }

  private int waitForAll(FunctionBuilder code) {
    once(code, Op.ATOMIC_I_ADD, WAITING);
    repeat(
        code,
        () -> {
          int both =
              code.u32(
                  Op.I_ADD,
                  code.load(out.u32(), counter(code, WAITING)),
                  code.load(out.u32(), counter(code, ENDED)));
          return code.test(Op.I_EQUAL, both, subgroups(code));
        });
    once(code, Op.ATOMIC_I_SUB, WAITING);
    return out.constant(0);
  }

  /** Changes a counter by one for all lanes of the subgroup that are here. */
  private void once(FunctionBuilder code, int op, int number) {
    code.when(isElected(code), () -> atomic(code, op, counter(code, number), out.constant(1)));
  }

  private int subgroups(FunctionBuilder code) {
    return code.load(out.u32(), counter(code, ALL));
  }

  private void repeat(FunctionBuilder code, IntSupplier condition) {
    repeat(code, condition, null);
  }

  /** Repeats rounds until a condition holds, and then adds what changes something. */
  private void repeat(FunctionBuilder code, IntSupplier condition, @Nullable Runnable change) {
    int head = out.id();
    int body = out.id();
    int again = out.id();
    int merge = out.id();
    code.add(Op.BRANCH, head);
    code.begin(head);
    code.add(Op.LOOP_MERGE, merge, again, 0);
    code.add(Op.BRANCH, body);
    code.begin(body);
    barrier(code);
    int holds = condition.getAsInt();
    barrier(code);
    if (change != null) {
      code.when(holds, change);
    }
    code.add(Op.BRANCH_CONDITIONAL, holds, merge, again);
    code.begin(again);
    code.add(Op.BRANCH, head);
    code.begin(merge);
  }

  /** Whether each lane of a mask waits with the same mask, or has ended. */
  private int areHere(FunctionBuilder code, int mask) {
    int item = builtIns.item(code);
    int first = first(code, item);
    int items = builtIns.items(code);
    int gone = gone(code, item);
    int missing = out.constant(0);
    for (int i = 0; i < WARP; i++) {
      int other = code.u32(Op.BITWISE_OR, first, out.constant(i));
      int theirs = code.load(out.u32(), element(code, masks(), other));
      int isAway =
          code.test(
              Op.LOGICAL_AND,
              code.test(Op.I_NOT_EQUAL, theirs, mask),
              code.test(Op.U_LESS_THAN, other, items));
      missing =
          code.u32(
              Op.BITWISE_OR,
              missing,
              code.u32(Op.SELECT, isAway, out.constant(1 << i), out.constant(0)));
    }
    int present = code.u32(Op.BITWISE_AND, mask, code.u32(Op.NOT, gone));
    return code.test(Op.I_EQUAL, code.u32(Op.BITWISE_AND, missing, present), out.constant(0));
  }

  private int valueOf(FunctionBuilder code, int lane) {
    int item = builtIns.item(code);
    int other =
        code.u32(
            Op.BITWISE_OR,
            first(code, item),
            code.u32(Op.BITWISE_AND, lane, out.constant(WARP - 1)));
    return code.load(out.u32(), element(code, values(), other));
  }

  private int votes(FunctionBuilder code, int mask) {
    int item = builtIns.item(code);
    int first = first(code, item);
    int items = builtIns.items(code);
    int gone = gone(code, item);
    int votes = out.constant(0);
    for (int i = 0; i < WARP; i++) {
      int other = code.u32(Op.BITWISE_OR, first, out.constant(i));
      int number = code.load(out.u32(), element(code, values(), other));
      int isYes =
          code.test(
              Op.LOGICAL_AND,
              code.test(Op.I_NOT_EQUAL, number, out.constant(0)),
              code.test(Op.U_LESS_THAN, other, items));
      votes =
          code.u32(
              Op.BITWISE_OR,
              votes,
              code.u32(Op.SELECT, isYes, out.constant(1 << i), out.constant(0)));
    }
    int present = code.u32(Op.BITWISE_AND, mask, code.u32(Op.NOT, gone));
    return code.u32(Op.BITWISE_AND, votes, present);
  }

  /** A bit for each lane of the warp for which nobody waits. */
  private int gone(FunctionBuilder code, int item) {
    int warp = warp(code, item);
    return code.u32(
        Op.BITWISE_OR,
        code.load(out.u32(), element(code, ended(), warp)),
        code.load(out.u32(), element(code, away(), warp)));
  }

  // ---- places ----

  private int first(FunctionBuilder code, int item) {
    return code.u32(Op.BITWISE_AND, item, out.constant(-WARP));
  }

  private int lane(FunctionBuilder code, int item) {
    return code.u32(Op.BITWISE_AND, item, out.constant(WARP - 1));
  }

  private int warp(FunctionBuilder code, int item) {
    return code.u32(Op.SHIFT_RIGHT_LOGICAL, item, out.constant(5));
  }

  private int element(FunctionBuilder code, int array, int index) {
    return code.value(
        Op.ACCESS_CHAIN, out.pointer(Storage.WORKGROUP, out.u32()), code.global(array), index);
  }

  private int counter(FunctionBuilder code, int number) {
    if (counters == 0) {
      counters = array(out.constant(3));
    }
    return element(code, counters, out.constant(number));
  }

  private int values() {
    if (values == 0) {
      values = array(builtIns.lanes());
    }
    return values;
  }

  private int masks() {
    if (masks == 0) {
      masks = array(builtIns.lanes());
    }
    return masks;
  }

  private int ended() {
    if (ended == 0) {
      ended = array(warps());
    }
    return ended;
  }

  private int away() {
    if (away == 0) {
      away = array(warps());
    }
    return away;
  }

  /** The number of warps, as the length of an array. */
  private int warps() {
    return out.declare(
        Op.SPEC_CONSTANT_OP, out.u32(), Op.SHIFT_RIGHT_LOGICAL, builtIns.lanes(), out.constant(5));
  }

  private int array(int length) {
    return out.variable(Storage.WORKGROUP, out.type(Op.TYPE_ARRAY, out.u32(), length));
  }

  private void atomic(FunctionBuilder code, int op, int at, int value) {
    code.u32(op, at, out.constant(WORKGROUP), out.constant(0), value);
  }

  private void barrier(FunctionBuilder code) {
    code.add(
        Op.CONTROL_BARRIER,
        out.constant(WORKGROUP),
        out.constant(WORKGROUP),
        out.constant(Calls.ALL_MEMORY));
  }
}
