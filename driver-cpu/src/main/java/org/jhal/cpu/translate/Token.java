// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

/**
 * A token of preprocessed C++.
 *
 * @param text as it is written; {@code >>} is two tokens, since it may end two template lists
 * @param isSpaced whether white space stands before it
 * @param file where it comes from, as the line markers name it; empty for what was generated
 * @param line in that file, from 1
 * @param written what is written for it, which differs from the text in {@link SaturatingCasts}
 */
record Token(Kind kind, String text, boolean isSpaced, String file, int line, String written) {
  enum Kind {
    WORD,
    NUMBER,
    /** A string or a character, with its quotes. */
    TEXT,
    /** Punctuation. */
    MARK
  }

  /** A semicolon that was generated. */
  static final Token SEMICOLON = new Token(Kind.MARK, ";", false, "", 0);

  Token(Kind kind, String text, boolean isSpaced, String file, int line) {
    this(kind, text, isSpaced, file, line, text);
  }

  /** The same token, for which another text is written. */
  Token writtenAs(String other) {
    return new Token(kind, text, isSpaced, file, line, other);
  }

  /** The same token in the place of another one, behind white space. */
  Token at(Token place) {
    return new Token(kind, text, true, place.file, place.line, written);
  }

  /** The same place, with another name. */
  Token named(String name) {
    return new Token(kind, name, isSpaced, file, line);
  }

  static Token word(String text, Token at) {
    return new Token(Kind.WORD, text, true, at.file, at.line);
  }

  static Token mark(String text, Token at) {
    return new Token(Kind.MARK, text, false, at.file, at.line);
  }

  boolean is(String other) {
    return text.equals(other) && kind != Kind.TEXT;
  }

  boolean isWord() {
    return kind == Kind.WORD;
  }

  @Override
  public String toString() {
    return text;
  }
}
