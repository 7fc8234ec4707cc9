// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.module;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/** Reads the binary form of a module. */
public final class ModuleReader {
  private static final int MAGIC = 0x07230203;
  private static final int HEADER_WORDS = 5;
  private static final int MOST_IDS = 1 << 22; // the specification's limit

  private final KernelModule module;
  private @Nullable KernelFunction function;
  private @Nullable Instruction label;
  private final List<Instruction> block = new ArrayList<>();

  private ModuleReader(int bound) {
    module = new KernelModule(bound);
  }

  /**
   * Reads a module of either byte order.
   *
   * @throws HalException INVALID_ARGUMENT if it is no module, with the offset of the word
   */
  public static KernelModule read(byte[] bytes) {
    if (bytes.length < HEADER_WORDS * 4 || bytes.length % 4 != 0) {
      throw invalid(
          0, "the module has " + bytes.length + " bytes; it needs at least 20, in words of 4");
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    if (buffer.getInt(0) == Integer.reverseBytes(MAGIC)) {
      buffer.order(ByteOrder.BIG_ENDIAN);
    }
    int[] words = new int[bytes.length / 4];
    buffer.asIntBuffer().get(words);
    if (words[0] != MAGIC) {
      throw invalid(0, "the first word is " + hex(words[0]) + ", not " + hex(MAGIC));
    }
    int bound = words[3];
    if (bound <= 0 || bound > MOST_IDS) {
      throw invalid(3, "the bound of ids is " + bound + "; it must be from 1 to " + MOST_IDS);
    }
    ModuleReader reader = new ModuleReader(bound);
    for (int at = HEADER_WORDS; at < words.length; ) {
      int count = words[at] >>> 16;
      if (count == 0 || count > words.length - at) {
        throw invalid(
            at,
            Op.name(words[at] & 0xffff)
                + " has "
                + count
                + " words, and "
                + (words.length - at)
                + " are left");
      }
      reader.add(
          new Instruction(words[at] & 0xffff, at, Arrays.copyOfRange(words, at + 1, at + count)));
      at += count;
    }
    if (reader.function != null) {
      throw invalid(words.length, "the module ends inside function " + reader.function.id());
    }
    reader.module.check();
    return reader.module;
  }

  private void add(Instruction instruction) {
    if (Op.isDebug(instruction.op()) && instruction.op() != Op.NAME) {
      return;
    }
    if (Op.hasResult(instruction.op())) {
      module.define(instruction);
    }
    KernelFunction inside = function;
    if (instruction.op() == Op.FUNCTION) {
      if (inside != null) {
        throw instruction.invalid("is inside function " + inside.id());
      }
      function = new KernelFunction(instruction);
    } else if (inside == null) {
      module.declare(instruction);
    } else {
      addTo(inside, instruction);
    }
  }

  private void addTo(KernelFunction inside, Instruction instruction) {
    Instruction begun = label;
    if (instruction.op() == Op.FUNCTION_END) {
      if (begun != null) {
        throw instruction.invalid("is inside block " + begun.result());
      }
      module.functions().put(inside.id(), inside);
      function = null;
    } else if (instruction.op() == Op.FUNCTION_PARAMETER) {
      inside.parameters().add(instruction);
    } else if (instruction.op() == Op.LABEL) {
      if (begun != null) {
        throw instruction.invalid("is inside block " + begun.result());
      }
      label = instruction;
    } else if (begun == null) {
      throw instruction.invalid("is in function " + inside.id() + ", but in no block");
    } else if (Op.endsBlock(instruction.op())) {
      inside.blocks().add(new Block(begun, block, instruction));
      block.clear();
      label = null;
    } else {
      block.add(instruction);
    }
  }

  private static HalException invalid(int word, String what) {
    return new HalException(Status.INVALID_ARGUMENT, "SPIR-V, word " + word + ": " + what);
  }

  private static String hex(int word) {
    return String.format("0x%08x", word);
  }
}
