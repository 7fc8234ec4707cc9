// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Collects the fields of a struct, in their order; {@link StructType#builder} makes it.
 *
 * <p>Not thread-safe.
 */
public final class StructBuilder {
  private final List<StructType.Field> fields = new ArrayList<>();
  private int alignment = 1;
  private int end;

  StructBuilder() {}

  /**
   * Adds a scalar.
   *
   * @throws HalException as {@link #add(String, ElementType, int)}
   */
  public StructBuilder add(String name, ElementType type) {
    return add(name, type, 1);
  }

  /**
   * Adds an array of scalars.
   *
   * @throws HalException INVALID_ARGUMENT if {@code name} is in use; OUT_OF_RANGE if {@code count}
   *     is less than 1, or the struct becomes larger than {@link StructType#MAX_BYTES}
   */
  public StructBuilder add(String name, ElementType type, int count) {
    Objects.requireNonNull(type, "type");
    return add(name, type, 1, count);
  }

  /**
   * Adds a vector.
   *
   * @throws HalException as {@link #add(String, StructType, int)}
   */
  public StructBuilder add(String name, StructType vector) {
    return add(name, vector, 1);
  }

  /**
   * Adds an array of vectors.
   *
   * @throws HalException INVALID_ARGUMENT if {@code vector} is a struct with fields of its own;
   *     otherwise as {@link #add(String, ElementType, int)}
   */
  public StructBuilder add(String name, StructType vector, int count) {
    Objects.requireNonNull(name, "name");
    if (!Objects.requireNonNull(vector, "vector").isVector()) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "field '" + name + "' is a struct of its own; add the fields of that struct instead");
    }
    return add(name, vector.fields().get(0).type(), vector.fields().size(), count);
  }

  private StructBuilder add(String name, ElementType type, int width, int count) {
    Objects.requireNonNull(name, "name");
    if (fields.stream().anyMatch(field -> field.name().equals(name))) {
      throw new HalException(Status.INVALID_ARGUMENT, "two fields have the name '" + name + "'");
    }
    int own = StructType.alignmentOf(type, width);
    int offset = StructType.roundUp(end, own);
    long behind = offset + (long) type.bytes() * width * count;
    if (count < 1 || behind > StructType.MAX_BYTES) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          "field '%s' has %s elements and ends at byte %s; there must be at least one, and a struct has at most %s bytes"
              .formatted(name, count, behind, StructType.MAX_BYTES));
    }
    fields.add(new StructType.Field(name, type, width, count, offset));
    end = (int) behind;
    alignment = Math.max(alignment, own);
    return this;
  }

  /**
   * Raises the alignment of the struct, as {@code alignas} does.
   *
   * @param bytes 1, 2, 4, 8 or 16; no effect if a field needs more
   * @throws HalException OUT_OF_RANGE if it is another number
   */
  public StructBuilder alignment(int bytes) {
    if (bytes < 1 || bytes > StructType.MAX_ALIGNMENT || Integer.bitCount(bytes) != 1) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          "an alignment of "
              + bytes
              + " bytes; it must be 1, 2, 4, 8 or "
              + StructType.MAX_ALIGNMENT);
    }
    alignment = Math.max(alignment, bytes);
    return this;
  }

  /**
   * Returns the struct.
   *
   * @throws HalException FAILED_PRECONDITION if it has no fields
   */
  public StructType build() {
    if (fields.isEmpty()) {
      throw new HalException(Status.FAILED_PRECONDITION, "a struct without fields");
    }
    return new StructType("struct", fields, alignment);
  }
}
