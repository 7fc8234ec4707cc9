// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.translate;

import org.jhal.spirv.assembly.Decoration;
import org.jhal.spirv.assembly.FunctionBuilder;
import org.jhal.spirv.assembly.ModuleBuilder;
import org.jhal.spirv.assembly.Storage;
import org.jhal.spirv.module.Op;

/** Reports of work items that give up; docs/spirv.md describes them. */
final class Traps {
  private static final int TAKEN = 1; // the first word, after 0
  private static final int COMPLETE = 2;

  private static final int DEVICE = 1;
  private static final int ALIGNED = 2; // the kind of memory access whose alignment follows

  private final FunctionBuilder code;
  private final ModuleBuilder out;
  private final BuiltIns builtIns;

  Traps(Translation translation, FunctionBuilder code) {
    this.code = code;
    out = translation.out();
    builtIns = translation.builtIns();
  }

  /**
   * Reports that a work item gave up, where it should be reported: the first one that finds the
   * report empty takes it.
   */
  void report(int line) {
    int address = builtIns.reportAddress(code);
    int isAsked = code.test(Op.I_NOT_EQUAL, address, out.constant(0L));
    code.when(isAsked, () -> take(address, line));
  }

  private void take(int address, int line) {
    int state = word(address, 0);
    int device = out.constant(DEVICE);
    int relaxed = out.constant(0);
    int before =
        code.u32(
            Op.ATOMIC_COMPARE_EXCHANGE,
            state,
            device,
            relaxed,
            relaxed,
            out.constant(TAKEN),
            out.constant(0));
    int isFirst = code.test(Op.I_EQUAL, before, out.constant(0));
    code.when(
        isFirst,
        () -> {
          store(address, 1, builtIns.kernelNumber());
          store(address, 2, line);
          for (int i = 0; i < 3; i++) {
            store(address, 3 + i, builtIns.component(code, Decoration.WORKGROUP_ID, i));
            store(address, 6 + i, builtIns.component(code, Decoration.LOCAL_INVOCATION_ID, i));
          }
          code.add(Op.MEMORY_BARRIER, device, out.constant(Calls.ALL_MEMORY));
          code.add(Op.ATOMIC_STORE, state, device, relaxed, out.constant(COMPLETE));
        });
  }

  private int word(int address, int word) {
    return code.value(
        Op.CONVERT_U_TO_PTR,
        out.pointer(Storage.PHYSICAL_STORAGE_BUFFER, out.u32()),
        code.u64(Op.I_ADD, address, out.constant((long) word * Integer.BYTES)));
  }

  private void store(int address, int word, int value) {
    code.add(Op.STORE, word(address, word), value, ALIGNED, Integer.BYTES);
  }
}
