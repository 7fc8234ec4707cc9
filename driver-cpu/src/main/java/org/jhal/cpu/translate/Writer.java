// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.List;

/**
 * Writes C++. Each token of the source comes out in a line that a marker says it is in, so that the
 * compiler's messages name the lines of the source.
 */
final class Writer {
  private final StringBuilder out = new StringBuilder();
  private String file = "";
  private int line = -1; // of the source, in which the output is

  /** Writes generated text, which is a part of a line. */
  Writer raw(String text) {
    out.append(text);
    return this;
  }

  Writer tokens(List<Token> tokens) {
    for (Token token : tokens) {
      token(token, token.written());
    }
    return this;
  }

  /** Writes {@code text} where a token stands. */
  Writer token(Token token, String text) {
    goTo(token);
    if (text.isEmpty()) {
      return this;
    }
    char last = out.length() == 0 ? '\n' : out.charAt(out.length() - 1);
    boolean isGlued =
        Character.isJavaIdentifierPart(last) && Character.isJavaIdentifierPart(text.charAt(0));
    out.append((token.isSpaced() && last != '\n' && last != ' ') || isGlued ? " " : "");
    out.append(text);
    line += (int) text.chars().filter(c -> c == '\n').count();
    return this;
  }

  /** Continues in the line of a token. */
  Writer goTo(Token token) {
    if (token.file().isEmpty() || (token.line() == line && token.file().equals(file))) {
      return this;
    }
    int ahead = token.line() - line;
    if (token.file().equals(file) && line > 0 && ahead > 0 && ahead <= 3) {
      out.append("\n".repeat(ahead));
    } else {
      boolean isLineStart = out.length() == 0 || out.charAt(out.length() - 1) == '\n';
      out.append(isLineStart ? "" : "\n");
      out.append("#line ").append(token.line()).append(" \"").append(token.file()).append("\"\n");
    }
    file = token.file();
    line = token.line();
    return this;
  }

  /** Continues in lines that belong to no source. */
  Writer generated() {
    out.append("\n#line 1 \"<generated>\"\n");
    file = "";
    line = -1;
    return this;
  }

  @Override
  public String toString() {
    return out.toString();
  }
}
