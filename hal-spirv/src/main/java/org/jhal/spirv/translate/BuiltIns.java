// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.translate;

import java.util.HashMap;
import java.util.Map;
import org.jhal.spirv.assembly.Decoration;
import org.jhal.spirv.assembly.FunctionBuilder;
import org.jhal.spirv.assembly.ModuleBuilder;
import org.jhal.spirv.assembly.Storage;
import org.jhal.spirv.module.Op;

/** What a work item knows of its place, and other variables that all kernels share. */
final class BuiltIns {
  private static final int WARP = 32;

  private final ModuleBuilder out;
  private final Map<Integer, Integer> inputs = new HashMap<>();

  /** The note that kernels report traps; docs/spirv.md describes it. */
  private static final String TRAPS = "jhal-traps";

  /** The note that values may be lost behind loops; docs/spirv.md describes it. */
  private static final String LOOP_VALUES = "jhal-loop-values";

  private final int[] size = new int[3];
  private int lanes; // a constant, 0 until it is used
  private int[] report = {};
  private int kernel; // the specialization constant, 0 until it is used
  private int areLost; // likewise

  BuiltIns(ModuleBuilder out) {
    this.out = out;
    // Each entry point has the size, whether or not it asks for it.
    for (int i = 0; i < 3; i++) {
      size[i] = out.specialization(i, 1);
    }
    int all =
        out.declare(
            Op.SPEC_CONSTANT_COMPOSITE,
            out.type(Op.TYPE_VECTOR, out.u32(), 3),
            size[0],
            size[1],
            size[2]);
    out.decorate(all, Decoration.BUILT_IN, Decoration.WORKGROUP_SIZE);
  }

  /** The size of the workgroup in one dimension, 0 to 2. */
  int size(int dimension) {
    return size[dimension];
  }

  /** A component of a built-in vector. */
  int component(FunctionBuilder code, int builtIn, int dimension) {
    int type = out.type(Op.TYPE_VECTOR, out.u32(), 3);
    int all = code.load(type, input(code, builtIn, type));
    return code.u32(Op.COMPOSITE_EXTRACT, all, dimension);
  }

  /** A built-in number. */
  int number(FunctionBuilder code, int builtIn) {
    return code.load(out.u32(), input(code, builtIn, out.u32()));
  }

  private int input(FunctionBuilder code, int builtIn, int type) {
    int variable =
        inputs.computeIfAbsent(
            builtIn,
            key -> {
              int id = out.variable(Storage.INPUT, type);
              out.decorate(id, Decoration.BUILT_IN, builtIn);
              return id;
            });
    return code.global(variable);
  }

  /** The number of the work item in its workgroup. */
  int item(FunctionBuilder code) {
    int x = component(code, Decoration.LOCAL_INVOCATION_ID, 0);
    int y = component(code, Decoration.LOCAL_INVOCATION_ID, 1);
    int z = component(code, Decoration.LOCAL_INVOCATION_ID, 2);
    int row = code.u32(Op.I_ADD, y, code.u32(Op.I_MUL, z, size[1]));
    return code.u32(Op.I_ADD, x, code.u32(Op.I_MUL, row, size[0]));
  }

  /** The number of work items of the workgroup. */
  int items(FunctionBuilder code) {
    return code.u32(Op.I_MUL, code.u32(Op.I_MUL, size[0], size[1]), size[2]);
  }

  /** The number of lanes of all warps of the workgroup, which may be more than its work items. */
  int lanes() {
    if (lanes == 0) {
      int u32 = out.u32();
      int row = out.declare(Op.SPEC_CONSTANT_OP, u32, Op.I_MUL, size[0], size[1]);
      int all = out.declare(Op.SPEC_CONSTANT_OP, u32, Op.I_MUL, row, size[2]);
      int more = out.declare(Op.SPEC_CONSTANT_OP, u32, Op.I_ADD, all, out.constant(WARP - 1));
      lanes = out.declare(Op.SPEC_CONSTANT_OP, u32, Op.BITWISE_AND, more, out.constant(-WARP));
    }
    return lanes;
  }

  /**
   * 0, of which a device that loses values behind loops knows nothing. Elsewhere it is a constant.
   */
  int zero(FunctionBuilder code) {
    if (areLost == 0) {
      areLost = out.specialization(8, 0);
      out.note(LOOP_VALUES);
    }
    int groups = component(code, Decoration.NUM_WORKGROUPS, 0); // never 0
    int isNone = code.test(Op.I_EQUAL, groups, out.constant(0));
    return code.u32(
        Op.SELECT,
        code.test(Op.LOGICAL_AND, isNone, code.test(Op.I_NOT_EQUAL, areLost, out.constant(0))),
        out.constant(1),
        out.constant(0));
  }

  /** The number of the kernel in reports. */
  int kernelNumber() {
    if (kernel == 0) {
      kernel = out.specialization(6, 0);
    }
    return kernel;
  }

  /** The address of the report of a work item that gives up, 0 if there is none. */
  int reportAddress(FunctionBuilder code) {
    if (report.length == 0) {
      report = new int[] {out.specialization(4, 0), out.specialization(5, 0)};
      out.note(TRAPS);
    }
    int pair =
        code.value(
            Op.COMPOSITE_CONSTRUCT, out.type(Op.TYPE_VECTOR, out.u32(), 2), report[0], report[1]);
    return code.u64(Op.BITCAST, pair);
  }
}
