// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Parses JSON strictly: an object becomes a {@link Map} in its order, an array a {@link List}, a
 * string a {@link String}, a number a {@link Double}, {@code true} and {@code false} a {@link
 * Boolean}, {@code null} the {@link #NULL}. A duplicate key in an object is an error.
 *
 * <p>Used by one thread.
 */
final class Json {
  /** The value {@code null}. */
  static final Object NULL =
      new Object() {
        @Override
        public String toString() {
          return "null";
        }
      };

  /** Deeper than any report. The limit keeps nesting from overflowing the stack. */
  private static final int MAX_DEPTH = 20;

  private final String text;
  private int at;
  private int depth;

  private Json(String text) {
    this.text = text;
  }

  /**
   * The value that {@code text} consists of.
   *
   * @throws BadReportException if it is not JSON; the message contains the line and the column
   */
  static Object parse(String text) throws BadReportException {
    Json json = new Json(text);
    Object value = json.value();
    json.skipSpace();
    if (json.at < text.length()) {
      throw json.error("something follows the end of the JSON");
    }
    return value;
  }

  private Object value() throws BadReportException {
    skipSpace();
    char first = peek();
    return switch (first) {
      case '{' -> object();
      case '[' -> array();
      case '"' -> string();
      case 't' -> word("true", true);
      case 'f' -> word("false", false);
      case 'n' -> word("null", NULL);
      default -> number();
    };
  }

  private Map<String, Object> object() throws BadReportException {
    enter();
    Map<String, Object> object = new LinkedHashMap<>();
    at++;
    skipSpace();
    if (peek() == '}') {
      at++;
    } else {
      char next;
      do {
        skipSpace();
        if (peek() != '"') {
          throw error("a key in quotes is needed");
        }
        String key = string();
        if (object.containsKey(key)) {
          throw error("the key \"" + Printable.of(key) + "\" is there twice");
        }
        skipSpace();
        if (next() != ':') {
          at--;
          throw error("':' is needed");
        }
        object.put(key, value());
        next = separator('}');
      } while (next == ',');
    }
    depth--;
    return object;
  }

  private List<Object> array() throws BadReportException {
    enter();
    List<Object> array = new ArrayList<>();
    at++;
    skipSpace();
    if (peek() == ']') {
      at++;
    } else {
      do {
        array.add(value());
      } while (separator(']') == ',');
    }
    depth--;
    return array;
  }

  private void enter() throws BadReportException {
    if (++depth > MAX_DEPTH) {
      throw error("nested deeper than " + MAX_DEPTH);
    }
  }

  private char separator(char end) throws BadReportException {
    skipSpace();
    char found = next();
    if (found != ',' && found != end) {
      at--;
      throw error("',' or '" + end + "' is needed");
    }
    return found;
  }

  private String string() throws BadReportException {
    StringBuilder string = new StringBuilder();
    at++;
    while (true) {
      char c = next();
      if (c == '"') {
        return string.toString();
      }
      if (c < 0x20) {
        at--;
        throw error("a control character in a string");
      }
      string.append(c == '\\' ? escaped() : c);
    }
  }

  private char escaped() throws BadReportException {
    char c = next();
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> {
        int code = 0;
        for (int i = 0; i < 4; i++) {
          int digit = Character.digit(next(), 16);
          if (digit < 0) {
            throw error("four hexadecimal digits are needed after \\u");
          }
          code = code * 16 + digit;
        }
        yield (char) code;
      }
      default -> throw error("an unknown escape in a string");
    };
  }

  private Object word(String word, Object value) throws BadReportException {
    if (!text.startsWith(word, at)) {
      checkEnd(word.startsWith(text.substring(at)));
      throw error("a value is needed");
    }
    at += word.length();
    return value;
  }

  private Double number() throws BadReportException {
    int begin = at;
    while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    checkEnd(at == text.length() && depth > 0);
    String number = text.substring(begin, at);
    if (!number.matches("-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?")) {
      at = begin;
      throw error("a value is needed");
    }
    return Double.valueOf(number);
  }

  private void skipSpace() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private void checkEnd(boolean isTooEarly) throws BadReportException {
    if (isTooEarly) {
      throw error("the file ends here, in the middle of the JSON");
    }
  }

  private char peek() throws BadReportException {
    checkEnd(at >= text.length());
    return text.charAt(at);
  }

  private char next() throws BadReportException {
    char c = peek();
    at++;
    return c;
  }

  private BadReportException error(String what) {
    int line = 1;
    int begin = 0;
    for (int i = 0; i < at && i < text.length(); i++) {
      if (text.charAt(i) == '\n') {
        line++;
        begin = i + 1;
      }
    }
    return new BadReportException("line " + line + ", column " + (at - begin + 1) + ": " + what);
  }

  /** {@code text} as a JSON string. */
  static String quote(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    text.codePoints()
        .forEach(
            c -> {
              switch (c) {
                case '"' -> quoted.append("\\\"");
                case '\\' -> quoted.append("\\\\");
                case '\n' -> quoted.append("\\n");
                case '\t' -> quoted.append("\\t");
                default -> {
                  // Half of a surrogate pair cannot be written in UTF-8.
                  if (c < 0x20 || (c >= 0xD800 && c < 0xE000)) {
                    quoted.append(String.format(Locale.ROOT, "\\u%04x", c));
                  } else {
                    quoted.appendCodePoint(c);
                  }
                }
              }
            });
    return quoted.append('"').toString();
  }
}
