// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.kernel;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Supplier;
import org.jhal.BundleBuilder;
import org.jhal.ElementType;
import org.jhal.ExecutableSource;
import org.jhal.Parameter;
import org.jhal.Workgroups;

/**
 * A kernel as CUDA programmers write it, with its arguments. {@link PlainKernels} has all of them.
 *
 * @param style whose file has the kernel
 * @param kernel its name
 * @param workgroup the work items of a workgroup
 * @param groups the grid
 * @param repeats how often a sample runs it
 * @param values the arguments, of which the only one that is not a constant and not {@code in} is
 *     written
 * @param differing the part of the elements that may differ from those of a peer, which rounds
 *     otherwise: 0, but for numbers of steps that depend on floats
 */
public record PlainKernel(
    Style style,
    String kernel,
    Workgroups workgroup,
    Workgroups groups,
    int repeats,
    List<Value> values,
    double differing)
    implements KernelRun {
  /** How far a float may be from that of a peer, as a part of the largest float of the result. */
  public static final double TOLERANCE = 1e-5;

  /** What is hard about a kernel. There is a file for each style. */
  public enum Style {
    /** Its work items never meet. */
    ITEMS(1.3),
    /** They meet at barriers. */
    BARRIERS(2),
    /** They exchange values within a warp. */
    WARPS(5),
    /** They read and write bytes at computed addresses. */
    BYTES(1.5),
    /** They take different numbers of steps. */
    UNEVEN(0.3);

    private final double most;

    Style(double most) {
      this.most = most;
    }

    /** The largest time that is wanted, as a ratio to C. */
    public double most() {
      return most;
    }

    /** The name of the files, without what follows the point. */
    public String file() {
      return name().toLowerCase(Locale.ROOT);
    }

    private String source() {
      String file = "plain/" + file() + ".cu";
      try (InputStream in = PlainKernel.class.getResourceAsStream(file)) {
        return new String(Objects.requireNonNull(in, file).readAllBytes(), StandardCharsets.UTF_8);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /**
   * A parameter and its argument.
   *
   * @param parameter as the bundle declares it
   * @param made makes the argument: a number, or a direct buffer
   */
  public record Value(Parameter parameter, Supplier<Object> made) {}

  /** A bundle with all kernels of the style, so that the driver compiles them once. */
  @Override
  public ExecutableSource bundle() {
    BundleBuilder builder = ExecutableSource.builder("plain " + style.file());
    for (PlainKernel one : PlainKernels.all()) {
      if (one.style == style) {
        builder.kernel(
            one.kernel,
            one.workgroup,
            0,
            one.values.stream().map(Value::parameter).toArray(Parameter[]::new));
      }
    }
    return builder.cpp(style.source()).build();
  }

  @Override
  public List<Object> arguments() {
    return values.stream().map(value -> value.made().get()).toList();
  }

  @Override
  public int result() {
    for (int i = 0; i < values.size(); i++) {
      if (isWritten(values.get(i).parameter())) {
        return i;
      }
    }
    throw new IllegalStateException(kernel + " writes nothing");
  }

  private static boolean isWritten(Parameter parameter) {
    return parameter.kind() == Parameter.Kind.BUFFER
        && parameter.direction() != Parameter.Direction.IN;
  }

  /**
   * Compares what two sides have computed: floats to within {@link #TOLERANCE}, all other elements
   * exactly, except for the {@link #differing} part.
   *
   * @throws IllegalStateException if too many elements differ
   */
  public void check(ByteBuffer expected, ByteBuffer actual) {
    int size = elementType().bytes();
    int count = expected.capacity() / size;
    double tolerance = isFloat() ? TOLERANCE * largest(expected) : 0;
    int differ = 0;
    int first = -1;
    for (int i = 0; i < count; i++) {
      boolean isRight =
          isFloat()
              ? Math.abs(expected.getFloat(4 * i) - actual.getFloat(4 * i)) <= tolerance
              : isEqual(expected, actual, size * i, size);
      if (!isRight) {
        first = first < 0 ? i : first;
        differ++;
      }
    }
    if (differ > differing * count) {
      throw new IllegalStateException(
          "%s: %s of %s elements are wrong, the first is element %s"
              .formatted(kernel, differ, count, first));
    }
  }

  private ElementType elementType() {
    return values.get(result()).parameter().type();
  }

  private boolean isFloat() {
    return elementType() == ElementType.F32;
  }

  private static double largest(ByteBuffer floats) {
    double largest = 0;
    for (int i = 0; i < floats.capacity(); i += 4) {
      largest = Math.max(largest, Math.abs(floats.getFloat(i)));
    }
    return largest;
  }

  private static boolean isEqual(ByteBuffer one, ByteBuffer other, int at, int size) {
    return size == 1 ? one.get(at) == other.get(at) : one.getInt(at) == other.getInt(at);
  }
}
