// SPDX-License-Identifier: Apache-2.0
package org.jhal.faults;

import java.util.Locale;

/** Which of the two versions of a kernel or a program. */
public enum Twin {
  /** The one with the mistake. */
  FAULTY,
  /** The one without. */
  SOUND;

  /** The name of its folder. */
  public String folder() {
    return name().toLowerCase(Locale.ROOT);
  }
}
