// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples.transformer;

import org.jhal.kernel.Floats;
import org.jhal.kernel.Ints;
import org.jhal.kernel.Workgroup;

/**
 * The kernels of {@code examples/transformer} in Java; {@code transformer.cpp} there is their twin.
 * They add in the order of the index, not in pairs.
 */
public final class TransformerKernels {
  private static final int HEAD = Shape.HEAD;

  private TransformerKernels() {}

  /** What the model knows about the current token and its place. */
  public static void embed(
      Workgroup group,
      long width,
      Ints position,
      Ints tokens,
      Floats tokenTable,
      Floats positionTable,
      Floats x) {
    long now = position.get(0);
    long token = tokens.get(now);
    for (long i = group.firstX(); i < group.endX(width); i++) {
      x.set(i, tokenTable.get(token * width + i) + positionTable.get(now * width + i));
    }
  }

  /** Shifts and scales x to mean 0 and variance 1, and then by what the model has learned. */
  public static void layernorm(
      Workgroup group, long width, Floats x, Floats gain, Floats bias, Floats y) {
    float sum = 0;
    for (long i = 0; i < width; i++) {
      sum += x.get(i);
    }
    float mean = sum / width;
    float squares = 0;
    for (long i = 0; i < width; i++) {
      squares = Math.fma(x.get(i) - mean, x.get(i) - mean, squares);
    }
    float scale = 1 / (float) Math.sqrt(squares / width + 1e-5f);
    for (long i = 0; i < width; i++) {
      y.set(i, Math.fma((x.get(i) - mean) * scale, gain.get(i), bias.get(i)));
    }
  }

  /** {@code output = input * weights + bias}, added to the old output if {@code adds} is not 0. */
  public static void project(
      Workgroup group,
      long inner,
      long columns,
      long adds,
      Floats input,
      Floats weights,
      Floats bias,
      Floats output) {
    long first = group.firstX();
    float[] sums = new float[HEAD];
    for (int item = 0; item < HEAD; item++) {
      sums[item] = bias.get(first + item);
    }
    for (long k = 0; k < inner; k++) {
      float factor = input.get(k);
      long row = k * columns + first;
      for (int item = 0; item < HEAD; item++) {
        sums[item] = Math.fma(factor, weights.get(row + item), sums[item]);
      }
    }
    for (int item = 0; item < HEAD; item++) {
      long at = first + item;
      output.set(at, adds != 0 ? output.get(at) + sums[item] : sums[item]);
    }
  }

  /** The mean of the values of all tokens so far, weighted by how well their keys fit. */
  public static void attention(
      Workgroup group,
      long width,
      Ints position,
      Floats queryKeyValue,
      Floats keys,
      Floats values,
      Floats mixed) {
    long head = group.firstX();
    int now = position.get(0);
    for (int i = 0; i < HEAD; i++) {
      keys.set(now * width + head + i, queryKeyValue.get(width + head + i));
      values.set(now * width + head + i, queryKeyValue.get(2 * width + head + i));
    }
    float[] scores = new float[now + 1];
    float most = Float.NEGATIVE_INFINITY;
    for (int t = 0; t <= now; t++) {
      float score = 0;
      for (int k = 0; k < HEAD; k++) {
        score = Math.fma(queryKeyValue.get(head + k), keys.get(t * width + head + k), score);
      }
      scores[t] = score * 0.125f; // 1 / sqrt(HEAD)
      most = Math.max(most, scores[t]);
    }
    float sum = 0;
    for (int t = 0; t <= now; t++) {
      scores[t] = (float) Math.exp(scores[t] - most);
      sum += scores[t];
    }
    for (int i = 0; i < HEAD; i++) {
      float mean = 0;
      for (int t = 0; t <= now; t++) {
        mean = Math.fma(scores[t], values.get(t * width + head + i), mean);
      }
      mixed.set(head + i, mean / sum);
    }
  }

  /** Half of x for x near 0, x above and 0 below. */
  public static void gelu(Workgroup group, Floats x) {
    for (long i = group.firstX(); i < group.endX(x.length()); i++) {
      float v = x.get(i);
      x.set(i, 0.5f * v * (1 + (float) Math.tanh(0.7978846f * (v + 0.044715f * v * v * v))));
    }
  }

  /** Takes the token with the greatest logit as the next one unless that is known; moves on. */
  public static void choose(
      Workgroup group,
      long vocabulary,
      long known,
      Floats logits,
      Ints position,
      Ints tokens,
      Floats chances) {
    int best = 0;
    for (int i = 1; i < vocabulary; i++) {
      if (logits.get(i) > logits.get(best)) {
        best = i;
      }
    }
    float sum = 0;
    for (int i = 0; i < vocabulary; i++) {
      sum += (float) Math.exp(logits.get(i) - logits.get(best));
    }
    int now = position.get(0);
    chances.set(now, 1 / sum);
    if (now + 1 >= known) {
      tokens.set(now + 1, best);
    }
    position.set(0, now + 1);
  }
}
