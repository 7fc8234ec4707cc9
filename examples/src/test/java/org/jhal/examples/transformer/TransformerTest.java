// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples.transformer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jhal.Device;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cpu.compile.HostCompiler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A transformer of two layers writes what plain Java would. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class TransformerTest {
  private static final Shape SMALL = new Shape(2, 128, 192, 80);
  private static final int[] PROMPT = {7, 100, 3};
  private static final int COUNT = 75; // more than a workgroup of `attention` has items
  private static final int FEW = 4; // enough for the controls of the check

  private static void assumeUsable(String uri) {
    assumeTrue(
        !uri.startsWith("cpu") || HostCompiler.find().isPresent(),
        "the cpu device compiles kernels, and no c++, g++ or clang++ is on the PATH");
  }

  private static TransformerRun start(Device device, Weights weights, int count) throws Exception {
    return new TransformerRun(device, TransformerRun.KERNELS, weights, PROMPT, count);
  }

  private static TransformerRun.Text writeFew(Weights weights) throws Exception {
    try (Device device = Hal.openDevice("mock");
        TransformerRun run = start(device, weights, FEW)) {
      return run.write();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"mock", "cpu"})
  void aDeviceWritesTheMostProbableTokens(String uri) throws Exception {
    assumeUsable(uri);
    Weights weights = new Weights(SMALL, 11);
    try (Device device = Hal.openDevice(uri);
        TransformerRun run = start(device, weights, COUNT)) {
      TransformerRun.Text first = run.write();
      TransformerRun.Text text = run.write();
      assertArrayEquals(first.tokens(), text.tokens());
      assertArrayEquals(first.logits(), text.logits());
      assertEquals(PROMPT.length + COUNT, text.tokens().length);
      for (int i = 0; i < PROMPT.length; i++) {
        assertEquals(PROMPT[i], text.tokens()[i]);
      }
      Expected expected = new Expected(weights, text.tokens(), PROMPT.length);
      assertTrue(expected.allowed() < 1e-3, () -> "allows " + expected.allowed());
      assertNull(expected.problem(text));
    }
  }

  /** The tolerance is so small that an error of one bias in thousands is found. */
  @Test
  void aWeightThatIsOffByAThousandthIsNoticed() throws Exception {
    Weights weights = new Weights(SMALL, 11);
    Weights other = new Weights(SMALL, 11);
    other.values()[other.layers().get(0).widen().bias().offset() + 5] += 0.001f;
    TransformerRun.Text text = writeFew(other);
    assertNotNull(new Expected(weights, text.tokens(), PROMPT.length).problem(text));
  }

  @Test
  void anotherTokenThanTheMostProbableIsNoticed() throws Exception {
    Weights weights = new Weights(SMALL, 11);
    TransformerRun.Text text = writeFew(weights);
    int last = text.tokens().length - 1;
    text.tokens()[last] = (text.tokens()[last] + 1) % SMALL.vocabulary();
    Expected expected = new Expected(weights, text.tokens(), PROMPT.length);
    assertEquals("token " + last + " is not the most probable one", expected.problem(text));
  }

  @Test
  void aWrongProbabilityIsNoticed() throws Exception {
    Weights weights = new Weights(SMALL, 11);
    TransformerRun.Text text = writeFew(weights);
    text.chances()[1] *= 1.01f;
    String problem = new Expected(weights, text.tokens(), PROMPT.length).problem(text);
    assertTrue(
        String.valueOf(problem).startsWith("the probability of token 2 is off by 0.01"),
        String.valueOf(problem));
  }

  @Test
  void theSeedDecidesTheWeights() {
    assertArrayEquals(new Weights(SMALL, 3).values(), new Weights(SMALL, 3).values());
    assertTrue(new Weights(SMALL, 3).values()[0] != new Weights(SMALL, 4).values()[0]);
  }

  @Test
  void namesTheLimitsOfPromptAndText() {
    Weights weights = new Weights(SMALL, 1);
    try (Device device = Hal.openDevice("mock")) {
      IllegalArgumentException thrown =
          assertThrows(
              IllegalArgumentException.class,
              () -> new TransformerRun(device, TransformerRun.KERNELS, weights, PROMPT, 79));
      assertEquals(
          "3 tokens of prompt and 79 more; at least one of each, and at most 81 together, are"
              + " needed",
          thrown.getMessage());
    }
    assertEquals(
        "width is 100; it must be a multiple of 64",
        assertThrows(IllegalArgumentException.class, () -> new Shape(1, 100, 64, 1)).getMessage());
  }

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void theCommandComparesDevices() throws Exception {
    try (Device first = Hal.openDevice("mock");
        Device second = Hal.openDevice("mock://0?threads=1")) {
      int exitCode =
          Transformer.run(
              List.of(first, second),
              Transformer.KERNELS,
              new Transformer.Options(2, 1),
              new PrintWriter(out),
              new PrintWriter(err));
      assertEquals(0, exitCode, err::toString);
    }
    assertEquals("", err.toString());
    assertTrue(
        out.toString()
            .matches(
                "4 layers of 256 elements with 4 heads, 1024 tokens, 3\\.[0-9] million weights\\R"
                    + "  (\\w{3} ){4}\\.\\.\\. \\w{3} \\w{3}\\R"
                    + "( +[0-9]+ tokens/s +[0-9.]+ ms each +error [0-9.e-]+ of [0-9.e-]+  ok"
                    + "  mock://0[^ ]* \\([^\\n]*\\)\\R){2}"),
        out::toString);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 1, tokens 0 is not from 1 to 250",
    "251, 1, tokens 251 is not from 1 to 250",
    "60, 0, seed 0 is not from 1 to 999999999"
  })
  void refusesANumberOutOfRange(int tokens, int seed, String message) {
    HalException thrown =
        assertThrows(HalException.class, () -> new Transformer.Options(tokens, seed), message);
    assertEquals(Status.OUT_OF_RANGE, thrown.status());
    assertEquals(message, thrown.getMessage());
  }
}
