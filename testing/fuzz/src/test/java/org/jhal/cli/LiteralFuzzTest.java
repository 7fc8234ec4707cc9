// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jhal.ElementType;
import org.jhal.fuzz.Fuzz;
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
      new Fuzz(
              "literal-" + type.label(),
              Fuzz.texts("-128", "0xffffffff", "2.5e3", "-inf", "NaN", ".5e-7"),
              TOKENS)
          .run(2_000, input -> Literals.parse("a", type, text(input)));
    }
  }

  @Test
  void options() throws Exception {
    new Fuzz("options", Fuzz.texts("n=3", "x=a.npy", "y=1024x768", "4,5,6"), TOKENS)
        .run(
            10_000,
            input ->
                RunArguments.parse(
                    List.of(text(input)),
                    List.of("y=out.npy"),
                    List.of(text(input)),
                    text(input).contains("=") ? null : text(input),
                    false));
  }
}
