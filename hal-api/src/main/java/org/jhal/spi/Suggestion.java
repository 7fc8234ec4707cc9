// SPDX-License-Identifier: Apache-2.0
package org.jhal.spi;

import java.util.Collection;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Guesses which name was meant by one that does not exist, for messages.
 *
 * <p>Any thread may use it.
 */
public final class Suggestion {
  private static final Pattern OPTION = Pattern.compile("(?<![\\w-])--[a-z][a-z-]*");

  private Suggestion() {}

  /** The text {@code , did you mean 'NAME'?}, or nothing if no known name resembles this one. */
  public static String of(String wrong, Collection<String> known) {
    String closest = closest(wrong, known);
    return closest == null ? "" : ", did you mean '" + closest + "'?";
  }

  /** As {@link #of}; the known names are the options, such as {@code --help}, in a help text. */
  public static String ofOption(String wrong, String help) {
    Objects.requireNonNull(help, "help");
    return of(wrong, OPTION.matcher(help).results().map(MatchResult::group).distinct().toList());
  }

  /** The known name with the fewest typing errors, if they are few for its length. */
  public static @Nullable String closest(String wrong, Collection<String> known) {
    Objects.requireNonNull(wrong, "wrong");
    Objects.requireNonNull(known, "known");
    String closest = null;
    int fewest = Integer.MAX_VALUE;
    for (String name : known) {
      boolean isStart = wrong.length() > 1 && name.startsWith(wrong);
      int errors = isStart ? 1 : distance(wrong, name);
      if (errors < fewest && errors <= Math.max(1, Math.min(3, name.length() / 3))) {
        closest = name;
        fewest = errors;
      }
    }
    return closest;
  }

  /** How many characters to add, drop, change, or exchange with the next one. */
  private static int distance(String a, String b) {
    if (Math.abs(a.length() - b.length()) > 3) {
      return Integer.MAX_VALUE; // too far in any case, and the text may be long
    }
    int[][] cost = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          cost[i][j] = i + j;
          continue;
        }
        int changed = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        cost[i][j] =
            Math.min(cost[i - 1][j - 1] + changed, 1 + Math.min(cost[i - 1][j], cost[i][j - 1]));
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          cost[i][j] = Math.min(cost[i][j], cost[i - 2][j - 2] + 1);
        }
      }
    }
    return cost[a.length()][b.length()];
  }
}
