package org.jhal.driver.gpu;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The rule for which sources may be kept compiled: those of which it is certain that the code
 * depends on nothing but the source, its options and the compiler.
 *
 * <p>A source is not self-contained if it has, anywhere, in comments and texts too,
 *
 * <ul>
 *   <li>a directive that reads a file, be it one of the compiler's own: {@code #include}, {@code
 *       #include_next}, {@code #import}, {@code #embed}; a question for files, such as {@code
 *       __has_include}; a directive of the assembler that reads a file;
 *   <li>the date or the time;
 *   <li>a trigraph for {@code #} or for a backslash, in which a directive may hide.
 * </ul>
 *
 * Options are allowed if they define macros, or if they are switches, or have a word or a number as
 * their value that cannot name a file. An option in two parts, one with a path, and one that
 * includes, uses a profile or a plugin are not.
 */
final class SelfContained {
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

  /** A backslash at the end of a line, which joins it with the next one. */
  private static final Pattern JOINED = Pattern.compile("\\\\[ \\t\\f\\x0B]*(\\r\\n|\\n|\\r)");

  private static final Pattern MACRO =
      Pattern.compile("(-D|-U|--define-macro=|--undefine-macro=).+", Pattern.DOTALL);

  private static final Pattern SWITCH =
      Pattern.compile(
          "-O[0-3sgz]?|-G|-W[a-z0-9-]*"
              + "|--?(?!i|pre-include|create-pch|use-pch|pch|fprofile|fauto-profile|optf|options-file)"
              + "[a-z][a-z0-9_-]*(=(true|false|on|off|fast|precise|strict|none|[0-9]+|(c|gnu)[+][+][0-9a-z]+))?");

  private SelfContained() {}

  /** Whether the result of compiling depends on the arguments and the compiler alone. */
  static boolean test(String source, List<String> options) {
    String joined = source.indexOf('\\') < 0 ? source : JOINED.matcher(source).replaceAll("");
    for (String option : options) {
      if (!isAllowed(option) || !isFixed(option)) {
        return false;
      }
    }
    return isFixed(joined) && !reads(joined) && !hasPiecedAssembler(joined);
  }

  /**
   * Whether no option in environment variables of the compiler names a file.
   *
   * @param variables their values by name
   */
  static boolean allows(Map<String, String> variables) {
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

  /**
   * Whether the text of inline assembler may be put together from pieces or escapes, so that a
   * directive in it is not found.
   */
  private static boolean hasPiecedAssembler(String text) {
    for (int at = text.indexOf("asm"); at >= 0; at = text.indexOf("asm", at + 1)) {
      boolean isInString = false;
      for (int i = at; i < text.length(); i++) {
        char c = text.charAt(i);
        if (c == '\\'
            && isInString
            && "nt".indexOf(text.charAt(Math.min(i + 1, text.length() - 1))) < 0) {
          return true;
        }
        if (c == '"') {
          isInString = !isInString;
          if (!isInString && nextIsQuote(text, i + 1)) {
            return true;
          }
        } else if (c == ';' && !isInString) {
          break;
        }
      }
    }
    return false;
  }

  private static boolean nextIsQuote(String text, int from) {
    int at = from;
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    return at < text.length() && text.charAt(at) == '"';
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

  /** Whether a # or its other spelling comes before the name of a directive that reads files. */
  private static boolean reads(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) == '#' || text.startsWith("%:", i)) {
        int begin = nextWord(text, i + 1);
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

  /**
   * Where the next word of a directive begins, comments left out. Skips more than spaces, of which
   * compilers know different ones, but no other # (which may begin a directive of its own).
   */
  private static int nextWord(String text, int from) {
    int at = from;
    while (at < text.length() && !isWord(text.charAt(at)) && "#\n".indexOf(text.charAt(at)) < 0) {
      if (text.startsWith("/*", at)) {
        int end = text.indexOf("*/", at + 2);
        at = end < 0 ? text.length() : end + 2;
      } else {
        at++;
      }
    }
    return at;
  }

  private static boolean isWord(char c) {
    return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z';
  }
}
