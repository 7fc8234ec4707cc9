// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;

/**
 * Leaves out what a source may say that has no meaning here: {@code static} and {@code inline} of
 * kernels and of shared variables, whose place in memory the translation decides, and attributes
 * that only affect warnings and guesses of a compiler. An alignment behind other specifiers becomes
 * one that may stand there. {@code static __global__ void k([[maybe_unused]] int n)} becomes {@code
 * __global__ void k(int n)}.
 */
final class Specifiers {
  private static final Set<String> OF_LINKAGE =
      Set.of("static", "inline", "__inline__", "__forceinline__");

  private static final Set<String> WITH_ARGUMENTS =
      Set.of("__launch_bounds__", "__cluster_dims__", "__attribute__", "__align__", "alignas");

  private static final Set<String> ATTRIBUTES =
      Set.of(
          "maybe_unused",
          "nodiscard",
          "noreturn",
          "fallthrough",
          "likely",
          "unlikely",
          "deprecated");

  /** Those of GCC and Clang that mean nothing for a translated kernel. */
  private static final Set<String> OF_COMPILERS =
      Set.of("noinline", "always_inline", "unused", "used", "hot", "cold", "flatten");

  private final List<Token> tokens;
  private final BitSet left = new BitSet(); // out
  private final BitSet aligned = new BitSet(); // an alignment in a place where only GPUs have it

  private Specifiers(List<Token> tokens) {
    this.tokens = tokens;
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      if (token.is("__global__") || token.is("__shared__")) {
        linkage(i);
      } else if (token.is("[") && Tokens.is(tokens, i + 1, "[")) {
        attributes(i);
      }
    }
  }

  static List<Token> without(List<Token> tokens) {
    Specifiers specifiers = new Specifiers(tokens);
    List<Token> all = new ArrayList<>();
    for (int i = 0; i < tokens.size(); i++) {
      if (!specifiers.left.get(i)) {
        Token token = tokens.get(i);
        all.add(specifiers.aligned.get(i) ? token.named("__align__") : token);
      }
    }
    return all;
  }

  /** The words around one of the specifiers belong to the same declaration. */
  private void linkage(int at) {
    int start = at;
    while (start > 0) {
      int open = Tokens.is(tokens, start - 1, ")") ? Tokens.open(tokens, start - 1) : start;
      if (!Tokens.get(tokens, open - 1).isWord()
          || (open < start && !WITH_ARGUMENTS.contains(tokens.get(open - 1).text()))) {
        break;
      }
      start = open - 1;
    }
    for (int i = start; Tokens.get(tokens, i).isWord(); i++) {
      if (OF_LINKAGE.contains(tokens.get(i).text())) {
        left.set(i);
      }
      if (i > start && tokens.get(i).is("alignas") && isNumber(Tokens.get(tokens, i + 2))) {
        aligned.set(i);
      }
      if (Tokens.is(tokens, i + 1, "(") && WITH_ARGUMENTS.contains(tokens.get(i).text())) {
        i = Tokens.close(tokens, i + 1);
      }
    }
  }

  private static boolean isNumber(Token token) {
    return token.kind() == Token.Kind.NUMBER || token.is("sizeof") || token.is("alignof");
  }

  private void attributes(int open) {
    int end = Tokens.close(tokens, open);
    if (end >= tokens.size() || !Tokens.is(tokens, end - 1, "]")) {
      return;
    }
    for (List<Token> attribute : Tokens.split(tokens.subList(open + 2, end - 1))) {
      boolean isOfCompiler =
          (Tokens.is(attribute, 0, "gnu") || Tokens.is(attribute, 0, "clang"))
              && attribute.size() == 3
              && OF_COMPILERS.contains(attribute.get(2).text());
      boolean isKnown =
          isOfCompiler
              || (!attribute.isEmpty()
                  && ATTRIBUTES.contains(attribute.get(0).text())
                  && (attribute.size() == 1 || attribute.get(1).is("(")));
      if (!isKnown) {
        return;
      }
    }
    left.set(open, end + 1);
  }
}
