// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.module;

import java.util.ArrayList;
import java.util.List;

/** A function of a module. One without blocks is only declared: the module imports it. */
public final class KernelFunction {
  private final Instruction head;
  private final List<Instruction> parameters = new ArrayList<>();
  private final List<Block> blocks = new ArrayList<>();

  KernelFunction(Instruction head) {
    this.head = head;
    head.word(3);
  }

  /** The id. */
  public int id() {
    return head.result();
  }

  /** The instruction that begins it. */
  public Instruction head() {
    return head;
  }

  /** The type of what it returns. */
  public int returnType() {
    return head.type();
  }

  /** Its parameters. */
  public List<Instruction> parameters() {
    return parameters;
  }

  /** Its blocks; the first one is where it begins. */
  public List<Block> blocks() {
    return blocks;
  }
}
