// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.compare;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.HalException;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.recording.format.Action;
import org.jhal.recording.format.Range;
import org.jspecify.annotations.Nullable;

/**
 * Runs dispatches on two devices and compares what they have written. Where that differs, the
 * second device then gets the bytes of the first: so each dispatch begins with equal inputs, and
 * differences do not add up. Used by one thread at a time.
 */
public final class Comparison {
  private static final int CHUNK = 1 << 26; // a multiple of the size of each type

  /** What is known of a kernel. */
  public static final class KernelStatistics {
    private long dispatches;
    private long elements;
    private long different;
    private long farthest;
    private long parted;
    private long partedElements;

    public long dispatches() {
      return dispatches;
    }

    /** Of how many of these the results part. */
    public long parted() {
      return parted;
    }

    /** How many elements differ in these. */
    public long partedElements() {
      return partedElements;
    }

    public long elements() {
      return elements;
    }

    /** How many elements were not bit by bit equal, but near enough. */
    public long different() {
      return different;
    }

    /** The largest distance, of those. */
    public long farthest() {
      return farthest;
    }
  }

  /**
   * A dispatch that was compared, with how long it took on both devices, from the call until the
   * host has seen its end.
   *
   * @param finding where its results part; null if they do not, or if the comparison goes on and
   *     has had a finding of the kernel
   */
  public record Compared(
      int number, Kernel kernel, long firstNanos, long secondNanos, @Nullable Finding finding) {}

  private final Side first;
  private final Side second;
  private final Elements.Tolerance tolerance;
  private final Noise noise;
  private final boolean isLearning; // both sides are of one device
  private final boolean goesOn;
  private final Map<String, KernelStatistics> kernels = new LinkedHashMap<>();
  private final long[] distances = new long[64]; // of elements that are not equal, by their bits

  /**
   * Compares two devices.
   *
   * @param noise what one device may differ in from run to run
   * @param isLearning whether this fills {@code noise}, and finds nothing
   * @param goesOn whether dispatches follow one whose results part. Then only the first one of a
   *     kernel is a finding, and none runs again: variables of kernels would change once more.
   */
  public Comparison(
      Side first,
      Side second,
      Elements.Tolerance tolerance,
      Noise noise,
      boolean isLearning,
      boolean goesOn) {
    this.first = first;
    this.second = second;
    this.tolerance = tolerance;
    this.noise = noise;
    this.isLearning = isLearning;
    this.goesOn = goesOn;
  }

  public Map<String, KernelStatistics> kernels() {
    return kernels;
  }

  /**
   * How many elements were not equal bit by bit, by the number of bits that their distance has; the
   * last place has those beyond. Integers count as well.
   */
  public long[] distances() {
    return distances;
  }

  /**
   * Runs a dispatch on both devices. What runs again, or is found, has the grid that the first
   * device has read, since the dispatch may overwrite that.
   *
   * @param number its number among all dispatches, from 0
   * @param learns whether it first runs twice on the first device, to learn the noise from it
   * @throws HalException what the dispatch fails with on either device
   */
  public Compared run(int number, Action.Dispatch recorded, boolean learns)
      throws InterruptedException {
    Kernel kernel = first.kernel(recorded);
    Action.Dispatch dispatch = first.fixed(recorded);
    Map<Integer, DeviceBuffer[]> overwritten = new LinkedHashMap<>();
    try {
      snapshot(kernel, dispatch, overwritten);
      if (learns) {
        learn(kernel, dispatch, overwritten);
      }
      long firstNanos = first.time(recorded);
      long secondNanos = second.time(recorded);
      KernelStatistics statistics =
          kernels.computeIfAbsent(kernel.toString(), name -> new KernelStatistics());
      statistics.dispatches++;
      List<Finding.Difference> differences = new ArrayList<>();
      for (int i = 0; i < dispatch.buffers().size(); i++) {
        Range range = dispatch.buffers().get(i);
        if (range != null && kernel.parameters().get(i).isWritten()) {
          Finding.Difference found = compare(kernel, i, range, statistics);
          if (found != null) {
            differences.add(found);
          }
        }
      }
      statistics.parted += differences.isEmpty() ? 0 : 1;
      Finding finding =
          differences.isEmpty() || goesOn && statistics.parted > 1
              ? null
              : new Finding(
                  number,
                  dispatch,
                  first.format(dispatch),
                  second.format(dispatch),
                  differences,
                  !goesOn && differsFromItself(kernel, dispatch, overwritten, differences),
                  inputs(dispatch, overwritten));
      return new Compared(number, kernel, firstNanos, secondNanos, finding);
    } finally {
      for (DeviceBuffer[] pair : overwritten.values()) {
        pair[0].close();
        pair[1].close();
      }
    }
  }

  /** Runs a dispatch on the first device, and restores what it may overwrite. */
  private void learn(
      Kernel kernel, Action.Dispatch dispatch, Map<Integer, DeviceBuffer[]> overwritten)
      throws InterruptedException {
    first.dispatch(dispatch);
    Map<Integer, DeviceBuffer> results = results(kernel, dispatch);
    try {
      restore(dispatch, overwritten);
      first.dispatch(dispatch);
      for (Map.Entry<Integer, DeviceBuffer> result : results.entrySet()) {
        learn(
            kernel.parameters().get(result.getKey()),
            place(kernel, result.getKey()),
            Objects.requireNonNull(dispatch.buffers().get(result.getKey())),
            result.getValue());
      }
      restore(dispatch, overwritten);
    } finally {
      results.values().forEach(DeviceBuffer::close);
    }
  }

  /** Copies what the first device has written, by parameter; the caller closes them. */
  private Map<Integer, DeviceBuffer> results(Kernel kernel, Action.Dispatch dispatch) {
    Map<Integer, DeviceBuffer> results = new LinkedHashMap<>();
    for (int i = 0; i < dispatch.buffers().size(); i++) {
      Range range = dispatch.buffers().get(i);
      if (range != null && kernel.parameters().get(i).isWritten()) {
        results.put(i, first.snapshot(range));
      }
    }
    return results;
  }

  /** Whether the first device computes something else from the same inputs when it runs again. */
  private boolean differsFromItself(
      Kernel kernel,
      Action.Dispatch dispatch,
      Map<Integer, DeviceBuffer[]> overwritten,
      List<Finding.Difference> differences)
      throws InterruptedException {
    Map<Integer, DeviceBuffer> results = results(kernel, dispatch);
    try {
      restore(dispatch, overwritten);
      first.dispatch(dispatch);
      boolean differs = false;
      for (Finding.Difference difference : differences) {
        Range range = Objects.requireNonNull(dispatch.buffers().get(difference.parameter()));
        byte[] before = difference.firstOutput();
        long size = kernel.parameters().get(difference.parameter()).type().bytes();
        long at = difference.element() * size / CHUNK * CHUNK; // of the part that was kept
        Range part = new Range(range.memory(), range.offset() + at, before.length);
        differs |= !Arrays.equals(first.read(part), before);
      }
      results.forEach(
          (index, buffer) ->
              first.restore(buffer, Objects.requireNonNull(dispatch.buffers().get(index))));
      return differs;
    } finally {
      results.values().forEach(DeviceBuffer::close);
    }
  }

  private void restore(Action.Dispatch dispatch, Map<Integer, DeviceBuffer[]> overwritten) {
    overwritten.forEach(
        (index, pair) ->
            first.restore(pair[0], Objects.requireNonNull(dispatch.buffers().get(index))));
  }

  /** Compares a result of the first device with another one of it. */
  private void learn(Parameter parameter, String place, Range range, DeviceBuffer other)
      throws InterruptedException {
    Elements elements = new Elements(parameter.type(), tolerance);
    for (long at = 0; at < range.length(); at += CHUNK) {
      int length = (int) Math.min(CHUNK, range.length() - at);
      byte[] a = first.read(new Range(range.memory(), range.offset() + at, length));
      byte[] b = first.read(other, at, length);
      for (int i = 0; i < length / parameter.type().bytes(); i++) {
        if (!elements.isSame(a, b, i)) {
          noise.learn(place, elements, a, b, i);
        }
      }
    }
  }

  /** What the noise of a buffer is known by. */
  private static String place(Kernel kernel, int parameter) {
    return kernel + ", " + kernel.parameters().get(parameter).name();
  }

  /** Keeps what the dispatch reads and may overwrite. */
  private void snapshot(
      Kernel kernel, Action.Dispatch dispatch, Map<Integer, DeviceBuffer[]> overwritten) {
    for (int i = 0; i < dispatch.buffers().size(); i++) {
      Range range = dispatch.buffers().get(i);
      if (range != null
          && kernel.parameters().get(i).isRead()
          && isWritten(kernel, dispatch, range)) {
        overwritten.put(i, new DeviceBuffer[] {first.snapshot(range), second.snapshot(range)});
      }
    }
  }

  private static boolean isWritten(Kernel kernel, Action.Dispatch dispatch, Range range) {
    for (int i = 0; i < dispatch.buffers().size(); i++) {
      Range other = dispatch.buffers().get(i);
      if (other != null && kernel.parameters().get(i).isWritten() && other.overlaps(range)) {
        return true;
      }
    }
    return false;
  }

  /** Compares a buffer, of which the second device then has what the first one has. */
  private Finding.@Nullable Difference compare(
      Kernel kernel, int index, Range range, KernelStatistics statistics)
      throws InterruptedException {
    ElementType type = kernel.parameters().get(index).type();
    String place = place(kernel, index);
    Elements elements = new Elements(type, tolerance);
    long differing = 0;
    Finding.Difference found = null;
    for (long at = 0; at < range.length(); at += CHUNK) {
      Range part =
          new Range(range.memory(), range.offset() + at, Math.min(CHUNK, range.length() - at));
      byte[] a = first.read(part);
      byte[] b = second.read(part);
      int count = a.length / type.bytes();
      statistics.elements += count;
      if (Arrays.equals(a, b)) {
        continue; // as almost always
      }
      elements.scaleBy(a);
      boolean isSame = true;
      int one = -1; // the first element that differs
      for (int i = 0; i < count; i++) {
        if (elements.isSame(a, b, i) || elements.isFresh(a, b, i)) {
          continue;
        }
        isSame = false;
        long distance = elements.distance(a, b, i);
        distances[Math.min(63, 64 - Long.numberOfLeadingZeros(distance))]++;
        if (isLearning) {
          noise.learn(place, elements, a, b, i);
        } else if (elements.differ(a, b, i) && !noise.covers(place, elements, a, b, i)) {
          differing++;
          statistics.partedElements++;
          one = one < 0 ? i : one;
        } else {
          statistics.different++;
          statistics.farthest = Math.max(statistics.farthest, distance);
        }
      }
      if (one >= 0 && found == null) {
        found = difference(index, elements, at / type.bytes(), one, a, b);
      }
      if (!isSame) {
        level(part, a, b, type, elements);
      }
    }
    return found == null ? null : found.counted(differing, range.length() / type.bytes());
  }

  /** An element that differs, of which {@code a} and {@code b} have the parts with it. */
  private static Finding.Difference difference(
      int index, Elements elements, long before, int one, byte[] a, byte[] b) {
    return new Finding.Difference(
        index,
        before + one,
        elements.text(a, one),
        elements.text(b, one),
        elements.distance(a, b, one),
        0,
        0,
        elements.nearScaledBy(a, b, one),
        a,
        b);
  }

  /** Gives the second replica the bytes of the first one, but to what nobody has written. */
  private void level(Range part, byte[] a, byte[] b, ElementType type, Elements elements)
      throws InterruptedException {
    byte[] levelled = a.clone();
    for (int i = 0; i < a.length / type.bytes(); i++) {
      if (elements.isFresh(a, b, i)) {
        System.arraycopy(b, i * type.bytes(), levelled, i * type.bytes(), type.bytes());
      }
    }
    second.write(part, levelled);
  }

  /** What the dispatch has read. */
  private List<Finding.Input> inputs(
      Action.Dispatch dispatch, Map<Integer, DeviceBuffer[]> overwritten)
      throws InterruptedException {
    List<Finding.Input> inputs = new ArrayList<>();
    List<Parameter> parameters = first.kernel(dispatch).parameters();
    for (int i = 0; i < parameters.size(); i++) {
      Range range = dispatch.buffers().get(i);
      if (range == null || !parameters.get(i).isRead()) {
        continue;
      }
      inputs.add(input(i, parameters.get(i).type(), range, overwritten.get(i)));
    }
    return inputs;
  }

  /** An input, with its bytes if they fit into an array. */
  private Finding.Input input(
      int index, ElementType type, Range range, DeviceBuffer @Nullable [] pair)
      throws InterruptedException {
    boolean fits = range.length() <= Integer.MAX_VALUE - 8;
    ByteBuffer bytes = fits ? ByteBuffer.allocate((int) range.length()) : null;
    Elements elements = new Elements(type, tolerance);
    long fresh = 0;
    long different = 0;
    for (long at = 0; at < range.length(); at += CHUNK) {
      int length = (int) Math.min(CHUNK, range.length() - at);
      Range part = new Range(range.memory(), range.offset() + at, length);
      byte[] a = pair == null ? first.read(part) : first.read(pair[0], at, length);
      byte[] b = pair == null ? second.read(part) : second.read(pair[1], at, length);
      for (int e = 0; e < length / type.bytes(); e++) {
        if (elements.isFresh(a, b, e)) {
          fresh++;
        } else if (!elements.isSame(a, b, e)) {
          different++;
        }
      }
      if (bytes != null) {
        bytes.put(a);
      }
    }
    return new Finding.Input(index, bytes == null ? null : bytes.array(), fresh, different);
  }
}
