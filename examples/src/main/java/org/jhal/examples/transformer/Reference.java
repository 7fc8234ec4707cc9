// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples.transformer;

import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;

/**
 * The same transformer in plain Java, token by token. Each result of an operation is rounded as the
 * caller wants, so that one run is exact, and another one shows what rounding to 32 bits does.
 *
 * <p>For one thread.
 */
final class Reference {
  /** Rounds to 64 bits, as Java does anyway. */
  static final DoubleUnaryOperator TO_64_BITS = value -> value;

  /** Rounds to 32 bits. */
  static final DoubleUnaryOperator TO_32_BITS = value -> (float) value;

  private final Weights weights;
  private final float[] all;
  private final int width;
  private final DoubleUnaryOperator rounding;
  private final double[][][] keys; // by layer and token
  private final double[][][] values;
  private int now;

  Reference(Weights weights, DoubleUnaryOperator rounding) {
    this.weights = weights;
    this.all = weights.values();
    this.width = weights.shape().width();
    this.rounding = rounding;
    int layers = weights.shape().layers();
    keys = new double[layers][weights.shape().context()][];
    values = new double[layers][weights.shape().context()][];
  }

  /** The logits after {@code token}, which follows the tokens of earlier calls. */
  double[] next(int token) {
    double[] x = new double[width];
    for (int i = 0; i < width; i++) {
      double known = all[weights.tokens().offset() + token * width + i];
      x[i] = round(known + all[weights.positions().offset() + now * width + i]);
    }
    for (int i = 0; i < weights.layers().size(); i++) {
      Weights.Layer layer = weights.layers().get(i);
      double[] attended = attend(i, project(layer.attend(), norm(layer.before(), x)));
      add(x, project(layer.merge(), attended));
      double[] hidden = project(layer.widen(), norm(layer.between(), x));
      for (int k = 0; k < hidden.length; k++) {
        hidden[k] = gelu(hidden[k]);
      }
      add(x, project(layer.narrow(), hidden));
    }
    now++;
    return project(weights.head(), norm(weights.last(), x));
  }

  private double round(double value) {
    return rounding.applyAsDouble(value);
  }

  private void add(double[] x, double[] more) {
    for (int i = 0; i < x.length; i++) {
      x[i] = round(x[i] + more[i]);
    }
  }

  private double[] norm(Weights.Norm norm, double[] x) {
    double sum = 0;
    for (double one : x) {
      sum = round(sum + one);
    }
    double mean = round(sum / width);
    double squares = 0;
    for (double one : x) {
      double off = round(one - mean);
      squares = round(squares + off * off);
    }
    double scale = round(1 / Math.sqrt(squares / width + 1e-5f));
    double[] y = new double[width];
    for (int i = 0; i < width; i++) {
      double scaled = round(round(x[i] - mean) * scale);
      y[i] = round(scaled * all[norm.gain().offset() + i] + all[norm.bias().offset() + i]);
    }
    return y;
  }

  private double[] project(Weights.Linear linear, double[] input) {
    double[] output = new double[linear.columns()];
    for (int column = 0; column < output.length; column++) {
      output[column] = all[linear.bias().offset() + column];
    }
    for (int k = 0; k < linear.inner(); k++) {
      int row = linear.weights().offset() + k * linear.columns();
      for (int column = 0; column < output.length; column++) {
        output[column] = round(output[column] + input[k] * all[row + column]);
      }
    }
    return output;
  }

  private double[] attend(int layer, double[] queryKeyValue) {
    keys[layer][now] = Arrays.copyOfRange(queryKeyValue, width, 2 * width);
    values[layer][now] = Arrays.copyOfRange(queryKeyValue, 2 * width, 3 * width);
    double[] mixed = new double[width];
    for (int head = 0; head < width; head += Shape.HEAD) {
      double[] scores = new double[now + 1];
      double most = Double.NEGATIVE_INFINITY;
      for (int t = 0; t <= now; t++) {
        double score = 0;
        for (int k = head; k < head + Shape.HEAD; k++) {
          score = round(score + queryKeyValue[k] * keys[layer][t][k]);
        }
        scores[t] = round(score / Math.sqrt(Shape.HEAD));
        most = Math.max(most, scores[t]);
      }
      double sum = 0;
      for (int t = 0; t <= now; t++) {
        scores[t] = round(Math.exp(round(scores[t] - most)));
        sum = round(sum + scores[t]);
      }
      for (int i = head; i < head + Shape.HEAD; i++) {
        double mean = 0;
        for (int t = 0; t <= now; t++) {
          mean = round(mean + scores[t] * values[layer][t][i]);
        }
        mixed[i] = round(mean / sum);
      }
    }
    return mixed;
  }

  private double gelu(double v) {
    double cube = round(round(round(0.044715f * v) * v) * v);
    double bend = round(Math.tanh(round(0.7978846f * round(v + cube))));
    return round(round(0.5 * v) * round(1 + bend));
  }
}
