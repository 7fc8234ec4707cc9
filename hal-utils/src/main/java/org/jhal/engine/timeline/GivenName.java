// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.timeline;

import java.util.Objects;
import org.jhal.HalException;
import org.jhal.Status;

/** Names that programs give to their objects. */
public final class GivenName {
  private static final int MOST = 100;

  private GivenName() {}

  /**
   * Checks that a name fits into a message of one line.
   *
   * @param what the kind of object that gets it
   * @throws HalException INVALID_ARGUMENT if it is blank, too long, or has a control character
   */
  public static void check(String what, String name) {
    Objects.requireNonNull(name, "name");
    if (name.isBlank()
        || name.length() > MOST
        || name.codePoints().anyMatch(Character::isISOControl)) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "name of a %s: 1 to %s characters, no control characters, and not only spaces, not '%s' (%s characters)"
              .formatted(what, MOST, name, name.length()));
    }
  }
}
