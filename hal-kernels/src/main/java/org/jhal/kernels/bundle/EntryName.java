// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.bundle;

import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The name of a kernel's entry point in C++: an identifier, or an expression that names a function
 * in a namespace or an instance of a template, such as {@code reduce<float, 256>}.
 *
 * <p>An expression is compiled together with the source, so it must be nothing but a name: template
 * arguments are types, numbers and constants.
 */
public final class EntryName {
  /** The longest expression, in characters. */
  public static final int MAX_LENGTH = 512;

  private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
  private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");
  private static final Pattern NAME =
      Pattern.compile("(?:::)?[A-Za-z_][A-Za-z0-9_]*(?:::[A-Za-z_][A-Za-z0-9_]*)*");

  private EntryName() {}

  /** Whether a name is an expression rather than a symbol of the compiled code. */
  public static boolean isExpression(String name) {
    return name.indexOf('<') >= 0 || name.indexOf(':') >= 0;
  }

  /** The name without its namespaces and its template arguments. */
  public static String simpleName(String name) {
    int angle = name.indexOf('<');
    String whole = (angle < 0 ? name : name.substring(0, angle)).strip();
    return whole.substring(whole.lastIndexOf(':') + 1);
  }

  /** Why a name is not allowed in C++; null if it is. */
  static @Nullable String refusal(String name) {
    if (IDENTIFIER.matcher(name).matches()) {
      return null;
    }
    if (name.length() > MAX_LENGTH) {
      return "has " + name.length() + " characters; an entry point has at most " + MAX_LENGTH;
    }
    int angle = name.indexOf('<');
    String function = angle < 0 ? name : name.substring(0, angle).stripTrailing();
    if (!NAME.matcher(function).matches()) {
      return quoted(name)
          + "; it must be the name of a function, in a namespace if it has one, with its template"
          + " arguments in <> if it is a template";
    }
    return angle < 0 ? null : argumentsRefusal(name, angle);
  }

  private static @Nullable String argumentsRefusal(String name, int angle) {
    int depth = 0;
    for (int i = angle; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c == '<') {
        depth++;
      } else if (c == '>' && --depth == 0 && i < name.length() - 1) {
        return quoted(name) + ", which goes on behind the template arguments";
      } else if (c == ':' && (name.charAt(i - 1) == ':') == (charAt(name, i + 1) == ':')) {
        return quoted(name) + "; a ':' must be one of exactly two";
      } else if (!isAllowed(c)) {
        return String.format(
            Locale.ROOT,
            "%s; the character U+%04X must not be in template arguments",
            quoted(name),
            (int) c);
      }
    }
    return depth == 0 ? null : quoted(name) + ", whose < and > do not match";
  }

  private static String quoted(String name) {
    return "is '" + CONTROL.matcher(name).replaceAll("?") + "'";
  }

  private static char charAt(String text, int index) {
    return index < text.length() ? text.charAt(index) : ' ';
  }

  private static boolean isAllowed(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || "_ ,:<>*&+-".indexOf(c) >= 0;
  }
}
