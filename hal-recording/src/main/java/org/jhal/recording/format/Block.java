// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.format;

import org.jspecify.annotations.Nullable;

/** The kinds of blocks, by the number that the file has of each. */
public enum Block {
  /** Nothing; never written. */
  NONE,
  /** Bytes that other blocks refer to, each once. */
  PAYLOAD,
  /** A device. */
  DEVICE,
  /** A queue of a device. */
  QUEUE,
  /** The files of a bundle. */
  BUNDLE,
  /** There is memory from here on. */
  MEMORY,
  /** Memory is gone. */
  FREED,
  /** The host has written memory. */
  HOST_WRITE,
  /** An operation was issued. */
  OPERATION,
  /** How an operation has ended, if there is anything to say of that. */
  END,
  /** Two operations were not ordered. */
  HAZARD,
  /** The program has named a memory. */
  NAMED;

  static final byte[] MAGIC = {'J', 'H', 'A', 'L', 'R', 'E', 'C', '\n'};

  /** The version of the format that this writes and reads. */
  public static final int VERSION = 1;

  private static final Block[] ALL = values();

  /** The kind with this number, or null. */
  static @Nullable Block of(int number) {
    return number > 0 && number < ALL.length ? ALL[number] : null;
  }
}
