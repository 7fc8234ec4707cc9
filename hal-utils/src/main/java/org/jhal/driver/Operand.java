// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver;

/**
 * A range that a command reads or writes: of a buffer, or of the buffer that a slot of the binding
 * table will hold. A {@link Submission} resolves it to memory.
 */
public interface Operand {
  /**
   * The slot of the binding table, from 0, or -1 if the operand names a buffer itself. What a
   * {@link Submission} says of an operand without a slot is the same for all submissions of a
   * recording.
   */
  default int slot() {
    return -1;
  }
}
