// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.compile;

import java.util.ArrayList;
import java.util.List;

/**
 * Options that define macros, as lines in front of a source. A compiler that puts a header of its
 * own in front of the source would apply the options to that, too: that of NVRTC calls a type
 * {@code T}, so {@code -DT=float} makes it wrong (findings/nvrtc-macros-in-own-header.sh).
 *
 * @param lines the directives, each with its line break; empty if there are none
 * @param others the options that stay options
 */
record Definitions(String lines, List<String> others) {
  private static final String DEFINE = "-D";
  private static final String UNDEFINE = "-U";

  /**
   * Takes the definitions out of options. Those of names that begin with an underscore stay, as
   * such names are for headers.
   */
  static Definitions of(List<String> options) {
    StringBuilder lines = new StringBuilder();
    List<String> others = new ArrayList<>();
    for (String option : options) {
      if (isFor(DEFINE, option)) {
        String macro = option.substring(DEFINE.length());
        String line = macro.contains("=") ? macro.replaceFirst("=", " ") : macro + " 1";
        lines.append("#define ").append(line).append('\n');
      } else if (isFor(UNDEFINE, option)) {
        lines.append("#undef ").append(option.substring(UNDEFINE.length())).append('\n');
      } else {
        others.add(option);
      }
    }
    return new Definitions(lines.toString(), others);
  }

  private static boolean isFor(String prefix, String option) {
    return option.startsWith(prefix)
        && option.length() > prefix.length()
        && Character.isLetter(option.charAt(prefix.length()))
        && option.chars().noneMatch(each -> each == '\n' || each == '\r' || each == '\\');
  }

  /** A source behind the definitions, whose lines keep their numbers. */
  String before(String text) {
    return lines.isEmpty() ? text : lines + "#line 1\n" + text;
  }
}
