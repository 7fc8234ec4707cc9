// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Inline assembly for GPUs, such as {@code asm("mov.u32 %0, %%laneid;" : "=r"(lane))}. It becomes a
 * call of a function that does not exist: the compiler reports it, by the function's text, where a
 * kernel needs it. Assembly for the host stays as it is.
 */
final class Assembly {
  /** The function. */
  private static final String REFUSED = "hal_inline_ptx";

  private static final Set<String> WORDS = Set.of("asm", "__asm", "__asm__");
  private static final Set<String> QUALIFIERS = Set.of("volatile", "__volatile__", "inline");

  /** An instruction with a type, such as {@code mov.u32}, or one of those that have none. */
  private static final Pattern PTX =
      Pattern.compile(
          "(^|[\\s{;\"]|\\\\n|\\\\t|@!?%?\\w+\\s)([a-z][a-z0-9]*(\\.[a-z0-9]+)+\\b[^;]*|trap|exit|brkpt);");

  private Assembly() {}

  /** The source with the function in place of each piece of PTX. */
  static List<Token> refuse(List<Token> tokens) {
    List<Token> out = new ArrayList<>();
    for (int i = 0; i < tokens.size(); i++) {
      int open = i + 1;
      while (QUALIFIERS.contains(Tokens.get(tokens, open).text())) {
        open++;
      }
      boolean isAssembly =
          WORDS.contains(tokens.get(i).text())
              && Tokens.is(tokens, open, "(")
              && isPtx(tokens, open);
      out.add(isAssembly ? Token.word(REFUSED, tokens.get(i)) : tokens.get(i));
      if (isAssembly) {
        out.add(Token.mark("(", tokens.get(i)));
        out.add(Token.mark(")", tokens.get(i)));
        i = Tokens.close(tokens, open);
      }
    }
    return out;
  }

  private static boolean isPtx(List<Token> tokens, int open) {
    StringBuilder text = new StringBuilder();
    for (int i = open + 1; Tokens.get(tokens, i).kind() == Token.Kind.TEXT; i++) {
      String quoted = tokens.get(i).text();
      text.append(quoted, quoted.indexOf('"') + 1, quoted.length() - 1);
    }
    return PTX.matcher(text).find();
  }
}
