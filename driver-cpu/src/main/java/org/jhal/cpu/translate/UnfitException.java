// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

/** A form of translation does not serve a kernel. The message says why, for the user. */
final class UnfitException extends Exception {
  private static final long serialVersionUID = 1;

  UnfitException(String why) {
    super(AddedNames.inMessage(why), null, false, false);
  }

  UnfitException(String why, Token at) {
    this(why + " in line " + at.line());
  }
}
