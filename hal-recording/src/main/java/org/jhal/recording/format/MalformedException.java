// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.format;

/** A block whose checksum is right has contents that no version of this writes. */
final class MalformedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  MalformedException(String message) {
    super(message);
  }
}
