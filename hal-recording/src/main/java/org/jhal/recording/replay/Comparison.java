// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.replay;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.recording.format.Action;
import org.jhal.recording.format.Range;
import org.jhal.recording.format.Step;
import org.jspecify.annotations.Nullable;

/**
 * Runs each dispatch on two replicas and compares what it has written. Where they differ, the
 * second one then gets the bytes of the first: so each dispatch begins with equal inputs, and
 * differences do not add up. Used by one thread.
 */
final class Comparison implements Replay.Dispatcher {
  private static final int CHUNK = 1 << 26; // a multiple of the size of each type

  /** What is known of a kernel. */
  static final class KernelStatistics {
    long dispatches;
    long elements;
    long different; // not bit by bit equal, but near enough
    long farthest; // the largest distance, of those
  }

  /**
   * A dispatch that was compared, with how long it took on both, from the call until the host has
   * seen its end.
   */
  record Compared(int number, String kernel, long firstNanos, long secondNanos) {}

  private final Replica first;
  private final Replica second;
  private final Elements.Tolerance tolerance;
  private final int from; // the first operation whose dispatches are compared
  private final int to; // the first one after the last of them
  private final Noise noise;
  private final boolean isLearning; // both replicas are of one device
  private final Map<String, KernelStatistics> kernels = new LinkedHashMap<>();
  private final List<Compared> compared = new ArrayList<>();
  private final long[] distances = new long[64]; // of elements that are not equal, by their bits
  private @Nullable Finding finding;

  /**
   * Compares the dispatches of the operations {@code from} up to before {@code to}.
   *
   * @param noise what one device may differ in from run to run
   * @param isLearning whether this fills {@code noise}, and finds nothing
   */
  Comparison(
      Replica first,
      Replica second,
      Elements.Tolerance tolerance,
      int from,
      int to,
      Noise noise,
      boolean isLearning) {
    this.first = first;
    this.second = second;
    this.tolerance = tolerance;
    this.from = from;
    this.to = to;
    this.noise = noise;
    this.isLearning = isLearning;
  }

  /** The first dispatch whose results part; null if there is none. */
  @Nullable Finding finding() {
    return finding;
  }

  Map<String, KernelStatistics> kernels() {
    return kernels;
  }

  /** All dispatches that were compared; the last one is what was found. */
  List<Compared> compared() {
    return compared;
  }

  /**
   * How many elements were not equal bit by bit, by the number of bits that their distance has; the
   * last place has those beyond. Integers count as well.
   */
  long[] distances() {
    return distances;
  }

  @Override
  public boolean dispatch(Step.Operation operation, int number, Action.Dispatch dispatch)
      throws InterruptedException {
    if (operation.index() < from || operation.index() >= to) {
      first.dispatch(dispatch);
      second.dispatch(dispatch);
      return operation.index() < to;
    }
    Kernel kernel = first.kernel(dispatch);
    Map<Integer, DeviceBuffer[]> overwritten = new LinkedHashMap<>();
    try {
      snapshot(kernel, dispatch, overwritten);
      compared.add(
          new Compared(number, kernel.toString(), first.time(dispatch), second.time(dispatch)));
      KernelStatistics statistics =
          kernels.computeIfAbsent(kernel.toString(), name -> new KernelStatistics());
      statistics.dispatches++;
      for (int i = 0; i < dispatch.buffers().size() && finding == null; i++) {
        Range range = dispatch.buffers().get(i);
        if (range != null && kernel.parameters().get(i).isWritten()) {
          compare(operation, number, dispatch, i, range, statistics, overwritten);
        }
      }
    } finally {
      first.await();
      second.await();
      for (DeviceBuffer[] pair : overwritten.values()) {
        pair[0].close();
        pair[1].close();
      }
    }
    return finding == null;
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

  private void compare(
      Step.Operation operation,
      int number,
      Action.Dispatch dispatch,
      int index,
      Range range,
      KernelStatistics statistics,
      Map<Integer, DeviceBuffer[]> overwritten)
      throws InterruptedException {
    Kernel kernel = first.kernel(dispatch);
    ElementType type = kernel.parameters().get(index).type();
    String place = kernel + ", " + kernel.parameters().get(index).name();
    Elements elements = new Elements(type, tolerance);
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
      int worst = -1;
      long differing = 0;
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
          worst = worst < 0 ? i : worst;
        } else {
          statistics.different++;
          statistics.farthest = Math.max(statistics.farthest, distance);
        }
      }
      if (worst >= 0) {
        finding =
            new Finding(
                operation,
                number,
                dispatch,
                index,
                at / type.bytes() + worst,
                elements.text(a, worst),
                elements.text(b, worst),
                elements.distance(a, b, worst),
                differing,
                count,
                inputs(dispatch, overwritten),
                a,
                b);
        return;
      }
      if (!isSame) {
        level(part, a, b, type, elements);
      }
    }
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
