// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.kernel;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jhal.ExecutableSource;
import org.jhal.Workgroups;
import org.jhal.examples.Saxpy;

/**
 * A kernel of the examples with its arguments. They are small whole numbers wherever a peer may add
 * in another order, so that every correct side computes the same bytes.
 */
public enum Workload implements KernelRun {
  /** 16k elements, which stay in the nearest cache. */
  SAXPY("saxpy 16k", 2_000, Workgroups.of(Sizes.SAXPY / 256), 3),
  /** Two barriers for each of 32 tiles. */
  MATMUL("matmul 512", 2, Workgroups.of(Sizes.MATRIX / 16, Sizes.MATRIX / 16), 5),
  /** A strided loop in each work item, and nine barriers. */
  REDUCTION("reduction 1M", 20, Workgroups.of(Sizes.SUMS), 3),
  /** Work items that take different numbers of steps. */
  JULIA("julia 512", 1, Workgroups.of(Sizes.JULIA / 32, Sizes.JULIA / 8), 4),
  /** Bytes, of which each work item reads 27. */
  EDGES("edges 1024x768", 3, Workgroups.of(Sizes.WIDTH / 16, Sizes.HEIGHT / 16), 1);

  /** The sizes, which the Vector API's side repeats. */
  private static final class Sizes {
    static final int SAXPY = 16_384;
    static final int MATRIX = 512;
    static final int VALUES = 1 << 20;
    static final int SUMS = 256;
    static final int JULIA = 512;
    static final int WIDTH = 1024;
    static final int HEIGHT = 768;
  }

  private final String label;
  private final int repeats;
  private final Workgroups groups;
  private final int result;

  Workload(String label, int repeats, Workgroups groups, int result) {
    this.label = label;
    this.repeats = repeats;
    this.groups = groups;
    this.result = result;
  }

  @Override
  public String kernel() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** What reports call it. */
  public String label() {
    return label;
  }

  /** How often a sample runs it. */
  public int repeats() {
    return repeats;
  }

  @Override
  public Workgroups groups() {
    return groups;
  }

  @Override
  public int result() {
    return result;
  }

  /** A bundle of the examples, of the kernel's name. */
  @Override
  public ExecutableSource bundle() {
    return ExecutableSource.ofResources(Saxpy.class, kernel());
  }

  @Override
  public List<Object> arguments() {
    return switch (this) {
      case SAXPY -> List.of(Sizes.SAXPY, 2f, floats(Sizes.SAXPY, 16), floats(Sizes.SAXPY, 7));
      case MATMUL -> {
        int n = Sizes.MATRIX;
        yield List.of(n, n, n, floats(n * n, 7), floats(n * n, 5), floats(n * n, 1));
      }
      case REDUCTION ->
          List.of(Sizes.VALUES, Sizes.SUMS, floats(Sizes.VALUES, 16), floats(Sizes.SUMS, 1));
      case JULIA ->
          List.of(Sizes.JULIA, Sizes.JULIA, -0.8f, 0.156f, direct(4 * Sizes.JULIA * Sizes.JULIA));
      case EDGES -> {
        ByteBuffer image = direct(3 * Sizes.WIDTH * Sizes.HEIGHT);
        for (int i = 0; i < image.capacity(); i++) {
          image.put(i, (byte) (i * 7919L >> 6));
        }
        yield List.of(image, direct(Sizes.WIDTH * Sizes.HEIGHT), Sizes.WIDTH, Sizes.HEIGHT, 3);
      }
    };
  }

  /** {@code count} whole numbers from 0 to {@code below - 1}. */
  private static ByteBuffer floats(int count, int below) {
    ByteBuffer made = direct(4 * count);
    for (int i = 0; i < count; i++) {
      made.putFloat(4 * i, (float) (i * 7919L % 1009 % below));
    }
    return made;
  }

  private static ByteBuffer direct(int bytes) {
    return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
  }

  /**
   * Checks what was computed by one run on new arguments.
   *
   * @throws IllegalStateException if {@code actual} is not what {@code expected} is; of a
   *     reduction, only the sum of all sums counts
   */
  public void check(ByteBuffer expected, ByteBuffer actual) {
    boolean isRight =
        this == REDUCTION
            ? sum(expected) == sum(actual)
            : Arrays.equals(bytes(expected), bytes(actual));
    if (!isRight) {
      throw new IllegalStateException(label + ": the result is wrong");
    }
  }

  private static float sum(ByteBuffer floats) {
    float sum = 0;
    for (int i = 0; i < floats.capacity(); i += 4) {
      sum += floats.getFloat(i);
    }
    return sum;
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.capacity()];
    buffer.duplicate().clear().get(bytes);
    return bytes;
  }
}
