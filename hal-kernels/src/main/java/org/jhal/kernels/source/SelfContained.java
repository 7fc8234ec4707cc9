// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.source;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Decides which compiled sources may be kept: those whose code certainly depends on the source, its
 * options and the compiler alone.
 *
 * <p>A source is not self-contained if it has, anywhere, in comments and texts too,
 *
 * <ul>
 *   <li>a directive that reads a file, even one of the compiler's own: {@code #include}, {@code
 *       #include_next}, {@code #import}, {@code #embed}; a test for files, such as {@code
 *       __has_include}; a directive of the assembler that reads a file; a comment between a {@code
 *       #} and the name of its directive;
 *   <li>the word {@code asm}, unless it begins inline assembler, volatile or not, that is a single
 *       string with no other escapes than {@code \\n} and {@code \\t}, since a directive may be put
 *       together from strings, macros and escapes;
 *   <li>the date or the time;
 *   <li>a trigraph for {@code #} or for a backslash, in which a directive may hide.
 * </ul>
 *
 * Not found is assembler that begins in a macro and ends elsewhere.
 *
 * <p>Allowed options define macros without assembler, are switches, or have a word or number as
 * their value that cannot name a file. Not allowed are options in two parts, options with a path,
 * and those that include or use a profile or a plugin.
 */
public final class SelfContained {
  private static final Set<String> READING =
      Set.of("include", "include_next", "import", "embed", "include_alias");

  private static final List<String> WORDS =
      List.of(
          "__has_include",
          "__has_embed",
          "incbin",
          ".include",
          "__DATE__",
          "__TIME__",
          "__TIMESTAMP__",
          "##", // may paste any of these together
          "%:%:",
          "??=",
          "??/");

  /** The word for inline assembler and, as a group, all up to the text of a string. */
  private static final Pattern ASSEMBLER =
      Pattern.compile("\\b_*+asm_*+\\b(\\s*+(?:_*+volatile_*+\\s*+)?+\\(\\s*+\")?+");

  private static final Pattern MACRO =
      Pattern.compile("(-D|-U|--define-macro=|--undefine-macro=).+", Pattern.DOTALL);

  private static final Pattern SWITCH =
      Pattern.compile(
          "-O[0-3sgz]?|-G|-W[a-z0-9-]*"
              + "|--?(?!i|pre-include|create-pch|use-pch|pch|fprofile|fauto-profile|optf|options-file)"
              + "[a-z][a-z0-9_-]*(=(true|false|on|off|fast|precise|strict|none|[0-9]+|(c|gnu)[+][+][0-9a-z]+))?");

  private SelfContained() {}

  /** Whether the compiled code depends on the arguments and the compiler alone. */
  static boolean test(String source, List<String> options) {
    String joined = IncludeDirectives.joined(source);
    for (String option : options) {
      if (!isAllowed(option) || !isFixed(option) || ASSEMBLER.matcher(option).find()) {
        return false;
      }
    }
    return isFixed(joined) && !reads(joined) && isAssemblerPlain(joined);
  }

  /**
   * Whether no option in environment variables of the compiler names a file.
   *
   * @param variables their values by name
   */
  public static boolean allows(Map<String, String> variables) {
    for (Map.Entry<String, String> variable : variables.entrySet()) {
      String name = variable.getKey();
      if (name.contains("OPTIONS") || name.startsWith("CCC_")) {
        for (String word : variable.getValue().trim().split("\\s+")) {
          if (!word.isEmpty() && !(isAllowed(word) && isFixed(word))) {
            return false;
          }
        }
      }
    }
    return true;
  }

  /** Whether each inline assembler is one string that cannot hide a directive. */
  private static boolean isAssemblerPlain(String text) {
    Matcher assembler = ASSEMBLER.matcher(text);
    while (assembler.find()) {
      int end = assembler.group(1) == null ? -1 : endOfPlainString(text, assembler.end());
      if (end < 0) {
        return false;
      }
      int after = end;
      while (after < text.length() && Character.isWhitespace(text.charAt(after))) {
        after++;
      }
      if (after == text.length() || ":)".indexOf(text.charAt(after)) < 0) {
        return false; // another string, a comment, or a macro
      }
      assembler.region(after, text.length());
    }
    return true;
  }

  /** The index after the string that continues at {@code from}, or -1 if it has other escapes. */
  private static int endOfPlainString(String text, int from) {
    for (int i = from; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"') {
        return i + 1;
      }
      if (c == '\\') {
        i++;
        if (!text.startsWith("n", i) && !text.startsWith("t", i)) {
          return -1;
        }
      }
    }
    return -1;
  }

  private static boolean isFixed(String text) {
    for (String word : WORDS) {
      if (text.contains(word)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isAllowed(String option) {
    Matcher macro = MACRO.matcher(option);
    return macro.matches() || SWITCH.matcher(option).matches();
  }

  /**
   * Whether a # or %: precedes the name of a directive that reads files, or a comment that the name
   * may follow. Anything may be between them, since compilers differ in what counts as a space,
   * except another # or %:, which may begin a directive.
   */
  private static boolean reads(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) == '#' || text.startsWith("%:", i)) {
        int begin = i + 1;
        while (begin < text.length()
            && !isWord(text.charAt(begin))
            && "#\n".indexOf(text.charAt(begin)) < 0
            && !text.startsWith("%:", begin)) {
          if (text.startsWith("/*", begin)) {
            return true;
          }
          begin++;
        }
        int end = begin;
        while (end < text.length() && isWord(text.charAt(end))) {
          end++;
        }
        if (READING.contains(text.substring(begin, end))) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean isWord(char c) {
    return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z';
  }
}
