package org.jhal.driver;

/**
 * A range that a command reads or writes: of a buffer, or of the buffer that a slot of the binding
 * table will hold. A {@link Submission} resolves it to memory.
 */
public interface Operand {}
