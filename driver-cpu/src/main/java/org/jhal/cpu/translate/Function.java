// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A function of a source, or its declaration. All numbers are indexes into the tokens of the
 * source.
 *
 * @param scope the brace of the namespace that it is in, or -1
 * @param isC whether it is {@code extern "C"}, itself or by a block around it
 * @param start of the whole, its {@code template} and {@code extern "C"} included
 * @param type where its specifiers and its result's type begin
 * @param name its name
 * @param open the parenthesis before its parameters; {@code close} is the one behind them
 * @param body the brace that begins its body, or -1 if it is only declared
 * @param end behind it
 */
record Function(
    List<Token> source,
    int scope,
    boolean isC,
    int start,
    int type,
    int name,
    int open,
    int close,
    int body,
    int end) {
  String text() {
    return source.get(name).text();
  }

  /** Whether it is called by its name alone: it is no operator, and no method. */
  boolean isPlain() {
    return !isOperator() && !isQualified() && !Tokens.is(source, name - 1, "~");
  }

  boolean isOperator() {
    return source.get(name).is("operator");
  }

  private boolean isQualified() {
    return Tokens.is(source, name - 1, "::");
  }

  /** The class or the namespace before its name; empty if it is defined in the same. */
  String owner() {
    if (!isQualified()) {
      return "";
    }
    int at = name - 2;
    return Tokens.get(source, Tokens.is(source, at, ">") ? Tokens.openAngle(source, at) - 1 : at)
        .text();
  }

  boolean isKernel() {
    return has("__global__");
  }

  /** Whether it may be meant for the host alone. */
  boolean isForHost() {
    return !has("__device__") && !has("__global__") && !has("constexpr");
  }

  boolean isInline() {
    return has("inline") || has("__inline__") || has("__forceinline__") || has("__noinline__");
  }

  private boolean has(String specifier) {
    return source.subList(start, name).stream().anyMatch(token -> token.is(specifier));
  }

  /** The lines that it is in. */
  Translation.Place place() {
    Token first = source.get(start);
    return new Translation.Place(
        Lexer.fileName(first.file()), first.line(), source.get(end - 1).line());
  }

  boolean hasBody() {
    return body >= 0;
  }

  /** What its body consists of, without the braces. */
  List<Token> statements() {
    return source.subList(body + 1, end - 1);
  }

  /** Its parameters; one that is missing between commas is left out. */
  List<List<Token>> parameters() {
    List<Token> all = source.subList(open + 1, close);
    return all.size() == 1 && all.get(0).is("void")
        ? List.of()
        : Tokens.split(all).stream().filter(parameter -> !parameter.isEmpty()).toList();
  }

  /** Its template parameters without the angles; null if it is no template. */
  @Nullable List<Token> templateParameters() {
    for (int i = start; i < type; i++) {
      if (source.get(i).is("template")) {
        return source.subList(i + 2, Tokens.closeAngle(source, i + 1));
      }
    }
    return null;
  }

  /** The type of its result, without specifiers. */
  List<Token> result() {
    return source.subList(type, name).stream()
        .filter(token -> !Declarations.SPECIFIERS.contains(token.text()))
        .toList();
  }
}
