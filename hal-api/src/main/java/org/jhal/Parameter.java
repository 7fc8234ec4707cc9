package org.jhal;

import java.util.Objects;

/**
 * A parameter of a kernel, as the bundle declares it in its manifest or through a {@link
 * BundleBuilder}. Immutable.
 *
 * @param name unique within the kernel
 * @param kind a buffer or a constant
 * @param type the type of the buffer's elements, or of the constant
 * @param direction how the kernel uses the buffer; {@link Direction#IN} for a constant
 */
public record Parameter(String name, Kind kind, ElementType type, Direction direction) {
  /** Rejects null. */
  public Parameter {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(direction, "direction");
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
    CONSTANT
  }

  /** How a kernel uses a buffer. */
  public enum Direction {
    /** The kernel reads it; needs {@link BufferUsage#DISPATCH_READ}. */
    IN,
    /** The kernel writes it; needs {@link BufferUsage#DISPATCH_WRITE}. */
    OUT,
    /** The kernel reads and writes it; needs both usages. */
    INOUT
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
