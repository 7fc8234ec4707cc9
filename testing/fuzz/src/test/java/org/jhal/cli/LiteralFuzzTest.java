// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jhal.ElementType;
import org.jhal.fuzz.Fuzz;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What {@code hal run} takes as {@code --arg}, {@code --shape} and {@code --groups}. */
class LiteralFuzzTest {
  private static final List<String> TOKENS =
      List.of("=", "-", "+", "0x", "e", "e999999999", ".", "nan", "inf", ",", "x", " ", "9e-400");

  private static String text(byte[] input) {
    return new String(input, StandardCharsets.UTF_8);
  }

  @Test
  void numbers() throws Exception {
    for (ElementType type : ElementType.values()) {
      new Fuzz("literal-" + type.label(), Fuzz.texts("7", "0x1", "127"), TOKENS)
          .alsoFrom(Fuzz.texts("-128", "0xffffffff", "2.5e3", "-inf", "NaN", ".5e-7"))
          .run(2_000, input -> Literals.parse("a", type, text(input)));
    }
  }

  @Test
  void arguments() throws Exception {
    new Fuzz("arg", Fuzz.texts("n=3", "x=a.npy"), TOKENS)
        .run(4_000, input -> parse(List.of(text(input)), List.of(), null));
  }

  @Test
  void shapes() throws Exception {
    new Fuzz("shape-option", Fuzz.texts("y=1024", "y=480,640,3"), TOKENS)
        .run(4_000, input -> parse(List.of(), List.of(text(input)), null));
  }

  @Test
  void groups() throws Exception {
    new Fuzz("groups", Fuzz.texts("4", "4,5", "4,5,6"), TOKENS)
        .alsoFrom(Fuzz.texts("4,5,6,7", "-1"))
        .run(4_000, input -> parse(List.of(), List.of(), text(input)));
  }

  private static void parse(List<String> args, List<String> shapes, @Nullable String groups) {
    RunArguments.parse(args, List.of("y=out.npy"), shapes, groups, false);
  }
}
