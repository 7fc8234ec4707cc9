// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples.transformer;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The weights of a transformer, in one array. They are random: a text that it writes means nothing,
 * but takes the same work as one that does.
 *
 * <p>Immutable by convention.
 */
public final class Weights {
  /**
   * Some of the weights.
   *
   * @param offset of the first one, in elements
   * @param length in elements
   */
  record Part(int offset, int length) {}

  /** A matrix of {@code inner} rows, and a bias for each column. */
  record Linear(int inner, int columns, Part weights, Part bias) {}

  /** What a layer norm has learned. */
  record Norm(Part gain, Part bias) {}

  /** The weights of one layer. */
  record Layer(
      Norm before, Linear attend, Linear merge, Norm between, Linear widen, Linear narrow) {}

  private final Shape shape;
  private final Part tokens;
  private final Part positions;
  private final List<Layer> layers = new ArrayList<>();
  private final Norm last;
  private final Linear head;
  private final float[] values;

  /** Weights that depend on {@code shape} and {@code seed} alone. */
  public Weights(Shape shape, long seed) {
    this.shape = shape;
    int width = shape.width();
    Planner planner = new Planner();
    tokens = planner.part(shape.vocabulary() * width, 1);
    positions = planner.part(shape.context() * width, 0.5);
    for (int i = 0; i < shape.layers(); i++) {
      layers.add(
          new Layer(
              planner.norm(width),
              planner.linear(width, 3 * width),
              planner.linear(width, width),
              planner.norm(width),
              planner.linear(width, shape.hidden()),
              planner.linear(shape.hidden(), width)));
    }
    last = planner.norm(width);
    head = planner.linear(width, shape.vocabulary());
    values = planner.values(seed);
  }

  /** Lays out parts one after the other, and remembers how large their values are to be. */
  private static final class Planner {
    private final List<Part> parts = new ArrayList<>();
    private final List<Double> deviations = new ArrayList<>();
    private final List<Double> means = new ArrayList<>();
    private int end;

    Part part(int length, double deviation) {
      return part(length, 0, deviation);
    }

    private Part part(int length, double mean, double deviation) {
      Part part = new Part(end, length);
      end += length;
      parts.add(part);
      means.add(mean);
      deviations.add(deviation);
      return part;
    }

    Norm norm(int width) {
      return new Norm(part(width, 1, 0.1), part(width, 0.1));
    }

    /** Keeps the variance of what goes through it. */
    Linear linear(int inner, int columns) {
      return new Linear(
          inner, columns, part(inner * columns, 1 / Math.sqrt(inner)), part(columns, 0.1));
    }

    float[] values(long seed) {
      Random random = new Random(seed);
      float[] values = new float[end];
      for (int i = 0; i < parts.size(); i++) {
        Part part = parts.get(i);
        for (int at = part.offset(); at < part.offset() + part.length(); at++) {
          values[at] = (float) (means.get(i) + deviations.get(i) * random.nextGaussian());
        }
      }
      return values;
    }
  }

  /** The sizes. */
  public Shape shape() {
    return shape;
  }

  /** All weights; not to be changed. */
  float[] values() {
    return values;
  }

  /** A row for each token. */
  Part tokens() {
    return tokens;
  }

  /** A row for each place. */
  Part positions() {
    return positions;
  }

  /** The layers, in order. */
  List<Layer> layers() {
    return layers;
  }

  /** The layer norm after the last layer. */
  Norm last() {
    return last;
  }

  /** From what the last layer norm gives to a logit for each token. */
  Linear head() {
    return head;
  }
}
