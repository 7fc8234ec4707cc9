// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.module;

import java.util.HashMap;
import java.util.Map;

/** The sizes and places of a module's types in memory, as in C. Pointers have 8 bytes. */
public final class KernelTypes {
  /** Size and alignment in bytes. */
  public record Layout(long size, int alignment) {}

  private static final int DEEPEST = 64;

  private final KernelModule module;
  private final Map<Integer, Layout> layouts = new HashMap<>();

  /** The types of a module. */
  public KernelTypes(KernelModule module) {
    this.module = module;
  }

  /** The instruction that declares a type. */
  public Instruction type(Instruction user, int id) {
    Instruction type = module.definition(user, id);
    if (!Op.isType(type.op())) {
      throw user.invalid("names id " + id + ", which is no type but " + Op.name(type.op()));
    }
    return type;
  }

  /** The type of the value that an id stands for. */
  public Instruction typeOf(Instruction user, int id) {
    Instruction definition = module.definition(user, id);
    if (!Op.hasType(definition.op())) {
      throw user.invalid("names id " + id + ", which is no value");
    }
    return type(definition, definition.type());
  }

  /** Whether a type is a pointer. */
  public static boolean isPointer(Instruction type) {
    return type.op() == Op.TYPE_POINTER;
  }

  /** The type that a pointer type points to. */
  public Instruction pointee(Instruction user, Instruction pointer) {
    if (!isPointer(pointer)) {
      throw user.invalid("needs a pointer, not a value of type " + pointer.result());
    }
    return type(pointer, pointer.word(2));
  }

  /** The number of elements of an array type. */
  public long length(Instruction array) {
    Instruction length = module.definition(array, array.word(2));
    if (length.op() == Op.CONSTANT_NULL) {
      return 0;
    }
    if (length.op() != Op.CONSTANT) {
      throw array.invalid("has a length that is no constant, id " + array.word(2));
    }
    long elements = length.count() > 3 ? length.longAt(2) : Integer.toUnsignedLong(length.word(2));
    if (elements < 0 || elements > Integer.MAX_VALUE) {
      throw array.invalid("has " + elements + " elements; at most 2147483647 are possible");
    }
    return elements;
  }

  /** The size and alignment of a type. */
  public Layout layout(Instruction type) {
    return layout(type, 0);
  }

  private Layout layout(Instruction type, int depth) {
    Layout known = layouts.get(type.result());
    if (known != null) {
      return known;
    }
    if (depth > DEEPEST) {
      throw type.invalid("is nested more than " + DEEPEST + " times");
    }
    Layout layout =
        switch (type.op()) {
          case Op.TYPE_BOOL -> new Layout(1, 1);
          case Op.TYPE_INT, Op.TYPE_FLOAT -> scalar(type);
          case Op.TYPE_POINTER -> new Layout(8, 8);
          case Op.TYPE_VECTOR -> {
            Layout part = layout(type(type, type.word(1)), depth + 1);
            int count = type.word(2);
            if (count < 2 || count > 16) {
              throw type.invalid("has " + count + " components");
            }
            long size = part.size() * (count == 3 ? 4 : count);
            yield new Layout(size, (int) size);
          }
          case Op.TYPE_ARRAY -> {
            Layout part = layout(type(type, type.word(1)), depth + 1);
            yield new Layout(part.size() * length(type), part.alignment());
          }
          case Op.TYPE_STRUCT -> {
            long end = 0;
            int alignment = 1;
            for (int i = 1; i < type.count(); i++) {
              Layout member = layout(type(type, type.word(i)), depth + 1);
              int aligned = module.isPacked(type.result()) ? 1 : member.alignment();
              end = aligned(end, aligned) + member.size();
              alignment = Math.max(alignment, aligned);
            }
            yield new Layout(aligned(end, alignment), alignment);
          }
          default -> throw type.invalid("has no size in memory");
        };
    if (layout.size() > Integer.MAX_VALUE) {
      throw type.invalid("has " + layout.size() + " bytes; at most 2147483647 are possible");
    }
    layouts.put(type.result(), layout);
    return layout;
  }

  private static Layout scalar(Instruction type) {
    int bits = type.word(1);
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64) {
      throw type.invalid("has " + bits + " bits; there are 8, 16, 32 and 64");
    }
    return new Layout(bits / 8, bits / 8);
  }

  /** The offset of a member of a struct in bytes. */
  public long offset(Instruction user, Instruction struct, int member) {
    if (member < 0 || member >= struct.count() - 1) {
      throw user.invalid(
          "names member "
              + member
              + "; struct "
              + struct.result()
              + " has "
              + (struct.count() - 1));
    }
    long end = 0;
    for (int i = 0; ; i++) {
      Layout layout = layout(type(struct, struct.word(i + 1)));
      int alignment = module.isPacked(struct.result()) ? 1 : layout.alignment();
      end = aligned(end, alignment);
      if (i == member) {
        return end;
      }
      end += layout.size();
    }
  }

  /** The least multiple of {@code alignment} that is not below {@code offset}. */
  public static long aligned(long offset, long alignment) {
    return (offset + alignment - 1) / alignment * alignment;
  }
}
