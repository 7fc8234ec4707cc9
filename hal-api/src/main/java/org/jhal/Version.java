// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A version of an interface.
 *
 * @param major rises when code that was compiled against the old version may not work any more
 * @param minor rises when something is added
 */
record Version(int major, int minor) {
  private static final Pattern FORM = Pattern.compile("([0-9]{1,9})\\.([0-9]{1,9})");

  private static @Nullable Version parse(String text) {
    Matcher form = FORM.matcher(text);
    return form.matches()
        ? new Version(Integer.parseInt(form.group(1)), Integer.parseInt(form.group(2)))
        : null;
  }

  /** Returns whether code that was compiled against {@code other} works with this version. */
  private boolean serves(Version other) {
    return major == other.major && minor >= other.minor;
  }

  /**
   * Returns why a driver that was compiled against version {@code theirs} cannot be used, or null
   * if it can.
   *
   * @param what the name of the interface
   * @param theirs the version that the driver states
   * @param ours the version of this JHAL
   */
  static @Nullable String refusal(String what, String theirs, String ours) {
    Version wanted = parse(theirs);
    if (wanted == null) {
      return "its " + what + " version '" + theirs + "' is not of the form MAJOR.MINOR";
    }
    Version present = parse(ours);
    return present != null && present.serves(wanted)
        ? null
        : "made for " + what + " version " + theirs + ", this JHAL has version " + ours;
  }
}
