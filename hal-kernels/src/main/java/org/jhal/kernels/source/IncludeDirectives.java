// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.source;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Finds the directives {@code #include "NAME"} and {@code #include <NAME>} of a source, in time
 * that is linear in its length.
 *
 * <p>A directive is at the beginning of a line, or follows a comment, and may have comments within
 * the line between its parts. Also finds directives in comments, strings and {@code #if}s.
 */
final class IncludeDirectives {
  /** A backslash that joins a line with the next one. */
  private static final Pattern JOINED = Pattern.compile("\\\\[ \\t\\f\\x0B]*(\\r\\n|\\n|\\r)");

  private static final String WORD = "include";
  private static final char BYTE_ORDER_MARK = '\uFEFF';

  private final String text;
  private final Set<String> removable; // of the NAMEs in angle brackets
  private final List<String> names = new ArrayList<>();
  private final List<String> angled = new ArrayList<>();
  private final StringBuilder rest = new StringBuilder();

  private IncludeDirectives(String source, Set<String> removable) {
    this.removable = removable;
    text = joined(source);
    int copied = 0;
    int hash = text.indexOf('#');
    while (hash >= 0) {
      int at = hash + 1;
      if (mayBegin(hash)) {
        at = space(at);
        if (text.startsWith(WORD, at)) {
          at = space(at + WORD.length());
          int end = enclosed(at, '"', '"');
          if (end > 0) {
            names.add(text.substring(at + 1, end));
            rest.append(text, copied, hash);
            copied = end + 1;
            at = copied;
          }
          end = enclosed(at, '<', '>');
          if (end > 0) {
            String name = text.substring(at + 1, end);
            angled.add(name);
            at = end + 1;
            if (this.removable.contains(name)) {
              rest.append(text, copied, hash);
              copied = at;
            }
          }
        }
      }
      hash = text.indexOf('#', at);
    }
    rest.append(text, copied, text.length());
  }

  /** The source with each line joined that a backslash continues. */
  static String joined(String source) {
    return source.indexOf('\\') < 0 ? source : JOINED.matcher(source).replaceAll("");
  }

  /** The NAMEs in quotation marks, in their order. */
  static List<String> names(String source) {
    return source.contains(WORD) ? new IncludeDirectives(source, Set.of()).names : List.of();
  }

  /** The NAMEs in angle brackets, in their order. */
  static List<String> angled(String source) {
    return source.contains(WORD) ? new IncludeDirectives(source, Set.of()).angled : List.of();
  }

  /**
   * The source without the directives in quotation marks, and without those of some other NAMEs.
   */
  static String removedFrom(String source, Set<String> angled) {
    return source.contains(WORD) ? new IncludeDirectives(source, angled).rest.toString() : source;
  }

  /** Whether only spaces separate a # from the beginning of its line or the end of a comment. */
  private boolean mayBegin(int hash) {
    int at = hash - 1;
    while (at >= 0 && isSpace(text.charAt(at))) {
      at--;
    }
    return at < 0
        || isLineEnd(text.charAt(at))
        || text.charAt(at) == BYTE_ORDER_MARK && at == 0
        || text.charAt(at) == '/' && at > 0 && text.charAt(at - 1) == '*';
  }

  /** The index after spaces and comments. */
  private int space(int from) {
    int at = from;
    while (at < text.length()) {
      if (isSpace(text.charAt(at))) {
        at++;
      } else if (text.startsWith("/*", at)) {
        at += 2;
        while (!text.startsWith("*/", at)) {
          if (at >= text.length() || isLineEnd(text.charAt(at))) {
            return at; // no directive
          }
          at++;
        }
        at += 2;
      } else {
        return at;
      }
    }
    return at;
  }

  /** The index of the end of the NAME, so enclosed, that begins here; -1 if none does. */
  private int enclosed(int from, char begin, char end) {
    if (from >= text.length() || text.charAt(from) != begin) {
      return -1;
    }
    int at = from + 1;
    while (at < text.length() && text.charAt(at) != end) {
      if (isLineEnd(text.charAt(at))) {
        return -1;
      }
      at++;
    }
    return at < text.length() && at > from + 1 ? at : -1;
  }

  private static boolean isSpace(char c) {
    return c == ' ' || c == '\t' || c == '\f' || c == '\u000B';
  }

  private static boolean isLineEnd(char c) {
    return c == '\n' || c == '\r';
  }
}
