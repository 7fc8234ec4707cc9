// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.module;

import java.util.ArrayList;
import java.util.List;

/** A basic block: its label, what it computes, and how it ends. */
public final class Block {
  private final int label;
  private final List<Instruction> phis = new ArrayList<>();
  private final List<Instruction> body = new ArrayList<>();
  private final Instruction end;

  Block(Instruction label, List<Instruction> instructions, Instruction end) {
    this.label = label.result();
    for (Instruction instruction : instructions) {
      (instruction.op() == Op.PHI ? phis : body).add(instruction);
    }
    this.end = end;
  }

  /** The label's id. */
  public int label() {
    return label;
  }

  /** The values that depend on where control comes from. */
  public List<Instruction> phis() {
    return phis;
  }

  /** What the block computes, without phis and without its end. */
  public List<Instruction> body() {
    return body;
  }

  /** The branch or return at the end. */
  public Instruction end() {
    return end;
  }

  /** The labels of the blocks that may follow, in the order of the branch, some perhaps twice. */
  public List<Integer> targets(int literalWords) {
    List<Integer> targets = new ArrayList<>();
    switch (end.op()) {
      case Op.BRANCH -> targets.add(end.word(0));
      case Op.BRANCH_CONDITIONAL -> {
        targets.add(end.word(1));
        targets.add(end.word(2));
      }
      case Op.SWITCH -> {
        targets.add(end.word(1));
        for (int i = 2; i < end.count(); i += literalWords + 1) {
          targets.add(end.word(i + literalWords));
        }
      }
      default -> {}
    }
    return targets;
  }
}
