// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.compile;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Options that define macros, as lines in front of a source. A compiler that puts a header of its
 * own in front of the source would apply the options to that, too: those of NVRTC and HIPRTC call a
 * type {@code T}, so {@code -DT=float} makes them wrong (findings/nvrtc-macros-in-own-header.sh).
 *
 * @param lines the directives, each with its line break; empty if there are none
 * @param others the options that stay options
 */
record Definitions(String lines, List<String> others) {
  private static final List<String> DEFINE = List.of("-D", "--define-macro=");
  private static final List<String> UNDEFINE = List.of("-U", "--undefine-macro=");

  /** Options that put files in front of the source, which may depend on macros. */
  private static final List<String> INCLUDE = List.of("--pre-include", "-include");

  /**
   * Takes the definitions out of options, except those of names that are meant for headers: such
   * names begin with an underscore, or the compiler knows them.
   *
   * @param isForSource whether the compiler's header knows no macro of this name
   */
  static Definitions of(List<String> options, Predicate<String> isForSource) {
    if (options.stream().anyMatch(option -> INCLUDE.stream().anyMatch(option::startsWith))) {
      return new Definitions("", options);
    }
    StringBuilder lines = new StringBuilder();
    List<String> others = new ArrayList<>();
    for (String option : options) {
      String defined = macro(DEFINE, option, isForSource);
      String undefined = macro(UNDEFINE, option, isForSource);
      if (!defined.isEmpty()) {
        String line = defined.contains("=") ? defined.replaceFirst("=", " ") : defined + " 1";
        lines.append("#define ").append(line).append('\n');
      } else if (!undefined.isEmpty()) {
        lines.append("#undef ").append(undefined).append('\n');
      } else {
        others.add(option);
      }
    }
    return new Definitions(lines.toString(), others);
  }

  /** What follows one of the prefixes; empty if it stays an option. */
  private static String macro(List<String> prefixes, String option, Predicate<String> isForSource) {
    for (String prefix : prefixes) {
      String macro = option.startsWith(prefix) ? option.substring(prefix.length()) : "";
      boolean isOneLine =
          macro.chars().noneMatch(each -> each == '\n' || each == '\r' || each == '\\');
      if (!macro.isEmpty()
          && Character.isLetter(macro.charAt(0))
          && isForSource.test(macro)
          && isOneLine) {
        return macro;
      }
    }
    return "";
  }

  /** A source behind the definitions, whose lines keep their numbers. */
  String before(String text) {
    return lines.isEmpty() ? text : lines + "#line 1\n" + text;
  }
}
