// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.translate;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import org.jhal.spirv.build.Capability;
import org.jhal.spirv.build.Decoration;
import org.jhal.spirv.build.FunctionBuilder;
import org.jhal.spirv.build.ModuleBuilder;
import org.jhal.spirv.build.Storage;
import org.jhal.spirv.module.Block;
import org.jhal.spirv.module.Instruction;
import org.jhal.spirv.module.KernelFunction;
import org.jhal.spirv.module.KernelModule;
import org.jhal.spirv.module.Op;

/**
 * Functions of the 32 lanes of a warp. Where subgroups have at least 32 work items, they are those
 * of subgroups. Elsewhere the lanes exchange values through shared memory, between barriers of the
 * workgroup.
 */
final class Warps {
  private static final int WARP = 32;
  private static final int SUBGROUP = 3;

  /** Acquire and release, of memory of the device and of the workgroup. */
  private static final int ALL_MEMORY = 0x8 | 0x40 | 0x100;

  private final Scope scope;
  private final FunctionBuilder code;
  private final ModuleBuilder out;
  private final BuiltIns builtIns;
  private final Runnable barrier;

  Warps(Scope scope, Runnable barrier) {
    this.scope = scope;
    code = scope.code;
    out = scope.out();
    builtIns = scope.translation.builtIns();
    this.barrier = barrier;
  }

  /** Whether a kernel or what it calls has such functions. */
  boolean areUsed() {
    KernelModule module = scope.translation.module();
    Set<Integer> seen = new HashSet<>();
    Deque<KernelFunction> open = new ArrayDeque<>();
    open.add(scope.function);
    while (!open.isEmpty()) {
      KernelFunction function = open.remove();
      String name = module.importName(function.id());
      if (function.blocks().isEmpty()
          && name != null
          && (name.equals("hal_shuffle") || name.equals("hal_ballot"))) {
        return true;
      }
      for (Block block : function.blocks()) {
        for (Instruction in : block.body()) {
          if (in.op() == Op.FUNCTION_CALL && seen.add(in.word(2))) {
            KernelFunction callee = module.functions().get(in.word(2));
            if (callee != null) {
              open.add(callee);
            }
          }
        }
      }
    }
    return false;
  }

  /** Sets the words to 0 that lanes which end early will never set. */
  void begin() {
    code.when(
        isSmall(),
        () -> {
          code.add(Op.STORE, word(builtIns.item(code)), out.constant(0));
          barrier.run();
        });
  }

  /** Whether subgroups are smaller than warps, which is the same for all work items. */
  private int isSmall() {
    out.capability(Capability.GROUP_NON_UNIFORM);
    return code.test(
        Op.U_LESS_THAN, builtIns.number(code, Decoration.SUBGROUP_SIZE), out.constant(WARP));
  }

  private int word(int item) {
    return code.value(
        Op.ACCESS_CHAIN, out.pointer(Storage.WORKGROUP, out.u32()), builtIns.exchange(code), item);
  }

  private int lane() {
    return builtIns.number(code, Decoration.SUBGROUP_LOCAL_INVOCATION_ID);
  }

  private int first(int item) {
    return code.u32(Op.BITWISE_AND, item, out.constant(-WARP));
  }

  /** The value of another lane, by its number. */
  int shuffle(int value, int lane) {
    out.capability(Capability.GROUP_NON_UNIFORM_SHUFFLE);
    int other = code.u32(Op.BITWISE_AND, lane, out.constant(WARP - 1));
    return code.choose(
        out.u32(),
        isSmall(),
        () -> {
          int item = builtIns.item(code);
          code.add(Op.STORE, word(item), value);
          barrier.run();
          int from = code.u32(Op.BITWISE_OR, first(item), other);
          int result = code.load(out.u32(), word(from));
          leave(item);
          return result;
        },
        () ->
            code.u32(
                Op.GROUP_NON_UNIFORM_SHUFFLE,
                out.constant(SUBGROUP),
                value,
                code.u32(Op.BITWISE_OR, first(lane()), other)));
  }

  /** Makes sure that all have read before the next one writes. */
  private void leave(int item) {
    barrier.run();
    code.add(Op.STORE, word(item), out.constant(0));
  }

  /** A bit for each lane, set where its number is not 0. */
  int ballot(int yes) {
    out.capability(Capability.GROUP_NON_UNIFORM_BALLOT);
    int isYes = code.test(Op.I_NOT_EQUAL, yes, out.constant(0));
    return code.choose(
        out.u32(),
        isSmall(),
        () -> {
          int item = builtIns.item(code);
          int bit = code.u32(Op.SELECT, isYes, out.constant(1), out.constant(0));
          code.add(Op.STORE, word(item), bit);
          barrier.run();
          int items = builtIns.items(code);
          int first = first(item);
          int votes = out.constant(0);
          for (int i = 0; i < WARP; i++) {
            int other = code.u32(Op.BITWISE_OR, first, out.constant(i));
            int vote = code.load(out.u32(), word(other));
            int exists = code.test(Op.U_LESS_THAN, other, items);
            int counted = code.u32(Op.SELECT, exists, vote, out.constant(0));
            int placed = code.u32(Op.SHIFT_LEFT_LOGICAL, counted, out.constant(i));
            votes = code.u32(Op.BITWISE_OR, votes, placed);
          }
          leave(item);
          return votes;
        },
        () -> ofSubgroup(isYes));
  }

  private int ofSubgroup(int isYes) {
    int all =
        code.value(
            Op.GROUP_NON_UNIFORM_BALLOT,
            out.type(Op.TYPE_VECTOR, out.u32(), 4),
            out.constant(SUBGROUP),
            isYes);
    int low = code.u32(Op.COMPOSITE_EXTRACT, all, 0);
    int high = code.u32(Op.COMPOSITE_EXTRACT, all, 1);
    int isLow = code.test(Op.U_LESS_THAN, lane(), out.constant(WARP));
    return code.u32(Op.SELECT, isLow, low, high);
  }

  /** A bit for each lane that is here at the same time: at least the own one. */
  int active() {
    out.capability(Capability.GROUP_NON_UNIFORM_BALLOT);
    return code.choose(
        out.u32(),
        isSmall(),
        () -> {
          int lane = code.u32(Op.BITWISE_AND, builtIns.item(code), out.constant(WARP - 1));
          return code.u32(Op.SHIFT_LEFT_LOGICAL, out.constant(1), lane);
        },
        () -> ofSubgroup(out.declared(Op.CONSTANT_TRUE, out.bool())));
  }

  /** Waits for the other lanes of the warp. */
  void meet() {
    code.branch(
        isSmall(),
        () -> {
          barrier.run();
          return 0;
        },
        () -> {
          code.add(
              Op.CONTROL_BARRIER,
              out.constant(SUBGROUP),
              out.constant(SUBGROUP),
              out.constant(ALL_MEMORY));
          return 0;
        });
  }
}
