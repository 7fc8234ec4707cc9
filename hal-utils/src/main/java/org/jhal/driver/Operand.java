package org.jhal.driver;

/**
 * A range that a command reads or writes: of a buffer, or of what a slot of the binding table will
 * hold. Where it is in one submission, its {@link Submission} tells.
 */
public interface Operand {}
