package org.jhal;

import java.util.Objects;

/**
 * One parameter of a kernel, as the bundle declares it, in its manifest or through a {@link
 * BundleBuilder}.
 *
 * @param name unique within the kernel
 * @param kind a buffer or a constant
 * @param type of the buffer's elements, or of the constant
 * @param direction how a kernel uses the buffer; {@link Direction#IN} for a constant
 */
public record Parameter(String name, Kind kind, ElementType type, Direction direction) {
  /** Checks for null. */
  public Parameter {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(direction, "direction");
  }

  /** A constant, such as {@code constant("n", U32)}. */
  public static Parameter constant(String name, ElementType type) {
    return new Parameter(name, Kind.CONSTANT, type, Direction.IN);
  }

  /** A buffer that the kernel reads, of elements of {@code type}. */
  public static Parameter in(String name, ElementType type) {
    return new Parameter(name, Kind.BUFFER, type, Direction.IN);
  }

  /** A buffer that the kernel writes, of elements of {@code type}. */
  public static Parameter out(String name, ElementType type) {
    return new Parameter(name, Kind.BUFFER, type, Direction.OUT);
  }

  /** A buffer that the kernel reads and writes, of elements of {@code type}. */
  public static Parameter inout(String name, ElementType type) {
    return new Parameter(name, Kind.BUFFER, type, Direction.INOUT);
  }

  /** What is passed. */
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

  /** Whether the kernel reads it. */
  public boolean isRead() {
    return direction != Direction.OUT;
  }

  /** Whether the kernel writes it. */
  public boolean isWritten() {
    return direction != Direction.IN;
  }
}
