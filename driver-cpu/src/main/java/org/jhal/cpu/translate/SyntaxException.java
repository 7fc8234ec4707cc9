// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

/** A source is no C++. The message is like one of a compiler. */
final class SyntaxException extends RuntimeException {
  private static final long serialVersionUID = 1;

  SyntaxException(String file, int line, String what) {
    super(file + ":" + line + ": error: " + what, null, false, false);
  }

  SyntaxException(Token at, String what) {
    this(at.file(), at.line(), what);
  }
}
