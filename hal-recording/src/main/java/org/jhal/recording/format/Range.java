// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.format;

/**
 * A part of a memory.
 *
 * @param memory its number in the recording
 * @param offset in bytes
 * @param length in bytes
 */
public record Range(int memory, long offset, long length) {
  /** Whether the two have bytes in common. */
  public boolean overlaps(Range other) {
    return memory == other.memory
        && offset < other.offset + other.length
        && other.offset < offset + length;
  }

  @Override
  public String toString() {
    return "bytes [" + offset + ", " + (offset + length) + ") of memory " + memory;
  }
}
