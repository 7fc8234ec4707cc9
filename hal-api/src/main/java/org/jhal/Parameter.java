package org.jhal;

import java.util.Objects;

/**
 * One parameter of a kernel, as the bundle's manifest declares it.
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
