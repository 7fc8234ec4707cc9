// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import static java.util.Map.entry;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Splits preprocessed C++ into tokens. Line markers say where they are; pragmas are dropped. */
final class Lexer {
  private static final Pattern LINE_MARKER =
      Pattern.compile("#\\s*(?:line\\s+)?(\\d+)\\s+\"((?:[^\"\\\\]|\\\\.)*)\".*");

  /** What an escape of a line marker stands for, or a character: 1 is octal, 2 is itself. */
  private static final Pattern PART_OF_NAME = Pattern.compile("\\\\([0-7]{3})|\\\\(.)|[^\\\\]+");

  /** Of several characters, longest first. */
  private static final String[] MARKS = {
    "<<=", ">>=", "...", "->*", "::", "->", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=",
    "^=", "==", "!=", "<=", ">=", "&&", "||", "<<", ".*"
  };

  /** Other spellings of brackets. */
  private static final List<String> DIGRAPHS = List.of("<%", "%>", "<:", ":>");

  /** What words and digraphs stand for. */
  private static final Map<String, String> SPELLINGS =
      Map.ofEntries(
          entry("<%", "{"),
          entry("%>", "}"),
          entry("<:", "["),
          entry(":>", "]"),
          entry("and", "&&"),
          entry("or", "||"),
          entry("not", "!"),
          entry("bitand", "&"),
          entry("bitor", "|"),
          entry("xor", "^"),
          entry("compl", "~"),
          entry("and_eq", "&="),
          entry("or_eq", "|="),
          entry("xor_eq", "^="),
          entry("not_eq", "!="));

  private final String text;
  private final List<Token> tokens = new ArrayList<>();
  private String file = "";
  private int line = 1;
  private int at;
  private boolean isSpaced = true;

  private Lexer(String text) {
    this.text = text;
  }

  /**
   * The tokens of a text.
   *
   * @throws SyntaxException if a string or a character is not closed
   */
  static List<Token> tokens(String text) {
    Lexer lexer = new Lexer(text);
    lexer.run();
    return lexer.tokens;
  }

  private void run() {
    boolean isLineStart = true;
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c == '\n') {
        line++;
        at++;
        isLineStart = true;
        isSpaced = true;
      } else if (Character.isWhitespace(c)) {
        at++;
        isSpaced = true;
      } else if (c == '#' && isLineStart) {
        directive();
      } else {
        isLineStart = false;
        token(c);
      }
    }
  }

  private void directive() {
    int end = text.indexOf('\n', at);
    String directive = text.substring(at, end < 0 ? text.length() : end);
    at += directive.length();
    Matcher marker = LINE_MARKER.matcher(directive);
    if (marker.matches()) {
      file = marker.group(2);
      line = Integer.parseInt(marker.group(1)) - 1; // of the next line
    }
  }

  /** The name of a file as messages have it: a line marker has escapes for some characters. */
  static String fileName(String marked) {
    if (!marked.contains("\\")) {
      return marked;
    }
    ByteArrayOutputStream name = new ByteArrayOutputStream();
    Matcher part = PART_OF_NAME.matcher(marked);
    while (part.find()) {
      if (part.group(1) != null) {
        name.write(Integer.parseInt(part.group(1), 8));
      } else {
        String text = part.group(2) == null ? part.group() : part.group(2);
        name.writeBytes(text.getBytes(StandardCharsets.UTF_8));
      }
    }
    return name.toString(StandardCharsets.UTF_8);
  }

  private void token(char c) {
    int start = at;
    int firstLine = line;
    Token.Kind kind;
    if (isWordPart(c) && !Character.isDigit(c)) {
      while (at < text.length() && isWordPart(text.charAt(at))) {
        at++;
      }
      kind = Token.Kind.WORD;
      if (at < text.length() && text.charAt(at) == '"' && isPrefix(text.substring(start, at))) {
        string(text.substring(start, at));
        kind = Token.Kind.TEXT;
      }
    } else if (Character.isDigit(c) || (c == '.' && isDigitAt(at + 1))) {
      number();
      kind = Token.Kind.NUMBER;
    } else if (c == '"' || c == '\'') {
      string("");
      kind = Token.Kind.TEXT;
    } else {
      at += markLength();
      kind = Token.Kind.MARK;
    }
    String written = text.substring(start, at);
    String mark = kind == Token.Kind.TEXT ? null : SPELLINGS.get(written);
    tokens.add(
        new Token(
            mark == null ? kind : Token.Kind.MARK,
            mark == null ? written : mark,
            isSpaced,
            file,
            firstLine));
    isSpaced = false;
  }

  private static boolean isPrefix(String word) {
    return word.matches("(u8|u|U|L)?R?");
  }

  private static boolean isWordPart(char c) {
    return Character.isLetterOrDigit(c) || c == '_' || c == '$';
  }

  private boolean isDigitAt(int index) {
    return index < text.length() && Character.isDigit(text.charAt(index));
  }

  private void number() {
    boolean isHex = text.startsWith("0x", at) || text.startsWith("0X", at);
    for (at++; at < text.length(); at++) {
      char c = text.charAt(at);
      char before = text.charAt(at - 1);
      boolean isExponent = isHex ? before == 'p' || before == 'P' : before == 'e' || before == 'E';
      boolean isSign = (c == '+' || c == '-') && isExponent;
      boolean isSeparator = c == '\'' && at + 1 < text.length() && isWordPart(text.charAt(at + 1));
      if (!isWordPart(c) && c != '.' && !isSign && !isSeparator) {
        return;
      }
    }
  }

  private void string(String prefix) {
    if (prefix.endsWith("R")) {
      int open = text.indexOf('(', at);
      String end = open < 0 ? "" : ")" + text.substring(at + 1, open) + "\"";
      int close = open < 0 ? -1 : text.indexOf(end, open);
      if (close < 0) {
        throw unclosed('"');
      }
      line += (int) text.substring(at, close).chars().filter(c -> c == '\n').count();
      at = close + end.length();
      return;
    }
    char quote = text.charAt(at++);
    while (at < text.length() && text.charAt(at) != quote && text.charAt(at) != '\n') {
      at += text.charAt(at) == '\\' ? 2 : 1;
    }
    if (at >= text.length() || text.charAt(at) == '\n') {
      throw unclosed(quote);
    }
    at++;
  }

  private SyntaxException unclosed(char quote) {
    return new SyntaxException(file, line, "this " + quote + " is never closed");
  }

  private int markLength() {
    boolean isQualified = // a<::b> begins with an angle, but for <::> and <:::
        text.startsWith("<::", at) && !text.startsWith("<:::", at) && !text.startsWith("<::>", at);
    if (!isQualified && DIGRAPHS.stream().anyMatch(each -> text.startsWith(each, at))) {
      return 2;
    }
    for (String mark : MARKS) {
      if (text.startsWith(mark, at)) {
        return mark.length();
      }
    }
    return 1;
  }
}
