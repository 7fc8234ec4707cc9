// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A parameter of a kernel, as the bundle declares it in its manifest or through a {@link
 * BundleBuilder}. Immutable.
 *
 * @param name unique within the kernel
 * @param kind a buffer, a constant or a struct
 * @param type the type of the buffer's elements, or of the constant; {@link ElementType#U8} for a
 *     struct, which consists of bytes
 * @param direction how the kernel uses the buffer; {@link Direction#IN} for anything else
 * @param struct the layout of a struct; null for anything else
 */
public record Parameter(
    String name, Kind kind, ElementType type, Direction direction, @Nullable StructType struct) {
  /**
   * Rejects null.
   *
   * @throws IllegalArgumentException if {@code struct} is missing for a struct, or given for
   *     anything else; if a struct has another type than {@link ElementType#U8}; or if a constant
   *     or a struct has another direction than {@link Direction#IN}
   */
  public Parameter {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(direction, "direction");
    if ((kind == Kind.STRUCT) != (struct != null)) {
      throw new IllegalArgumentException("parameter '" + name + "' is a " + kind + " of " + struct);
    }
    if (kind == Kind.STRUCT && type != ElementType.U8) {
      throw new IllegalArgumentException(
          "parameter '" + name + "' is a struct of type " + type + "; it must be U8");
    }
    if (kind != Kind.BUFFER && direction != Direction.IN) {
      throw new IllegalArgumentException(
          "parameter '"
              + name
              + "' is a "
              + kind
              + " with direction "
              + direction
              + "; it must be IN");
    }
  }

  /** A buffer or a constant. */
  public Parameter(String name, Kind kind, ElementType type, Direction direction) {
    this(name, kind, type, direction, null);
  }

  /** Returns a struct that is passed by value, such as {@code struct("center", FLOAT2)}. */
  public static Parameter struct(String name, StructType type) {
    Objects.requireNonNull(type, "type");
    return new Parameter(name, Kind.STRUCT, ElementType.U8, Direction.IN, type);
  }

  /** Returns a constant, such as {@code constant("n", U32)}. */
  public static Parameter constant(String name, ElementType type) {
    return new Parameter(name, Kind.CONSTANT, type, Direction.IN);
  }

  /** Returns a buffer of elements of {@code type} that the kernel reads. */
  public static Parameter in(String name, ElementType type) {
    return new Parameter(name, Kind.BUFFER, type, Direction.IN);
  }

  /** Returns a buffer of elements of {@code type} that the kernel writes. */
  public static Parameter out(String name, ElementType type) {
    return new Parameter(name, Kind.BUFFER, type, Direction.OUT);
  }

  /** Returns a buffer of elements of {@code type} that the kernel reads and writes. */
  public static Parameter inout(String name, ElementType type) {
    return new Parameter(name, Kind.BUFFER, type, Direction.INOUT);
  }

  /** The kind of argument that is passed. */
  public enum Kind {
    /** A buffer, passed as its address. */
    BUFFER,
    /** A number, passed by value. */
    CONSTANT,
    /** A struct, passed by value; see {@link StructType}. */
    STRUCT
  }

  /** How a kernel uses a buffer. */
  public enum Direction {
    /** The kernel reads it; needs {@link BufferUsage#DISPATCH_READ}. */
    IN,
    /**
     * The kernel writes it, and what it does not write has no meaning; needs {@link
     * BufferUsage#DISPATCH_WRITE}.
     */
    OUT,
    /** The kernel reads and writes it, or keeps a part of what it holds; needs both usages. */
    INOUT
  }

  /** Returns the type as manifests write it: {@code f32}, {@code float4} or {@code struct}. */
  public String typeName() {
    return struct == null ? type.label() : struct.name();
  }

  /** Returns whether the kernel reads the argument. */
  public boolean isRead() {
    return direction != Direction.OUT;
  }

  /** Returns whether the kernel writes the buffer. */
  public boolean isWritten() {
    return direction != Direction.IN;
  }
}
