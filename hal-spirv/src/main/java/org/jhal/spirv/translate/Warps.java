// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.translate;

import java.util.Set;
import org.jhal.spirv.assembly.Capability;
import org.jhal.spirv.assembly.Decoration;
import org.jhal.spirv.assembly.FunctionBuilder;
import org.jhal.spirv.assembly.ModuleBuilder;
import org.jhal.spirv.module.KernelFunction;
import org.jhal.spirv.module.KernelModule;
import org.jhal.spirv.module.Op;

/**
 * Functions of the 32 lanes of a warp. Where subgroups have at least 32 work items, they are those
 * of subgroups; elsewhere the lanes have {@link Meetings}.
 */
final class Warps {
  private static final int WARP = 32;
  private static final int SUBGROUP = 3;

  private static final Set<String> MEETING =
      Set.of("hal_shuffle", "hal_ballot", "hal_warp_barrier");

  private final FunctionBuilder code;
  private final ModuleBuilder out;
  private final BuiltIns builtIns;
  private final Meetings meetings;

  Warps(Translation translation, FunctionBuilder code) {
    this.code = code;
    out = translation.out();
    builtIns = translation.builtIns();
    meetings = translation.meetings();
  }

  /** Whether lanes meet in a module. */
  static boolean areUsed(KernelModule module) {
    for (KernelFunction function : module.functions().values()) {
      String name = module.importName(function.id());
      if (name != null && MEETING.contains(name)) {
        return true;
      }
    }
    return false;
  }

  /** Adds a kernel, with what has to come before and after it where subgroups are small. */
  void addKernel(int kernel) {
    code.when(isSmall(), () -> meetings.begin(code));
    code.call(out.nothing(), kernel);
    code.when(isSmall(), () -> meetings.end(code));
    code.add(Op.RETURN);
  }

  /** Whether subgroups are smaller than warps, which is the same for all work items. */
  private int isSmall() {
    out.capability(Capability.GROUP_NON_UNIFORM);
    return code.test(
        Op.U_LESS_THAN, builtIns.number(code, Decoration.SUBGROUP_SIZE), out.constant(WARP));
  }

  private int lane() {
    return builtIns.number(code, Decoration.SUBGROUP_LOCAL_INVOCATION_ID);
  }

  /** The value of another lane, by its number. */
  int shuffle(int value, int lane, int mask) {
    out.capability(Capability.GROUP_NON_UNIFORM_SHUFFLE);
    return code.choose(
        out.u32(),
        isSmall(),
        () -> meetings.shuffle(code, value, lane, mask),
        () -> {
          int first = code.u32(Op.BITWISE_AND, lane(), out.constant(-WARP));
          int other = code.u32(Op.BITWISE_AND, lane, out.constant(WARP - 1));
          return code.u32(
              Op.GROUP_NON_UNIFORM_SHUFFLE,
              out.constant(SUBGROUP),
              value,
              code.u32(Op.BITWISE_OR, first, other));
        });
  }

  /** A bit for each lane of the mask, set where its number is not 0. */
  int ballot(int number, int mask) {
    out.capability(Capability.GROUP_NON_UNIFORM_BALLOT);
    return code.choose(
        out.u32(),
        isSmall(),
        () -> meetings.ballot(code, number, mask),
        () -> {
          int isYes = code.test(Op.I_NOT_EQUAL, number, out.constant(0));
          return code.u32(Op.BITWISE_AND, ofSubgroup(isYes), mask);
        });
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

  /** Waits for the other lanes of the mask. */
  void meet(int mask) {
    code.branch(
        isSmall(),
        () -> {
          meetings.ballot(code, out.constant(0), mask);
          return 0;
        },
        () -> {
          code.add(
              Op.CONTROL_BARRIER,
              out.constant(SUBGROUP),
              out.constant(SUBGROUP),
              out.constant(Calls.ALL_MEMORY));
          return 0;
        });
  }

  /** Waits for all work items of the workgroup that have not ended, in a module with warps. */
  void sync(Runnable barrier) {
    code.branch(
        isSmall(),
        () -> {
          meetings.sync(code);
          return 0;
        },
        () -> {
          barrier.run();
          return 0;
        });
  }
}
