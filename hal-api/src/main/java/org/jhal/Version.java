package org.jhal;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A version of an interface.
 *
 * @param major changes when somebody who was compiled against it may not work any more
 * @param minor rises when something is added to it
 */
record Version(int major, int minor) {
  private static final Pattern FORM = Pattern.compile("([0-9]{1,9})\\.([0-9]{1,9})");

  private static @Nullable Version parse(String text) {
    Matcher form = FORM.matcher(text);
    return form.matches()
        ? new Version(Integer.parseInt(form.group(1)), Integer.parseInt(form.group(2)))
        : null;
  }

  /** Whether this has all that somebody needs who was compiled against {@code other}. */
  private boolean serves(Version other) {
    return major == other.major && minor >= other.minor;
  }

  /**
   * Why a driver cannot be used that was compiled against another version, or null if it can.
   *
   * @param what which interface
   * @param theirs what the driver says
   * @param ours what there is
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
