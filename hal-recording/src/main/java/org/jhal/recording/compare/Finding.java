// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.compare;

import java.util.ArrayList;
import java.util.List;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.recording.format.Action;
import org.jspecify.annotations.Nullable;

/**
 * The first dispatch whose results part.
 *
 * @param number its number among all dispatches, from 0
 * @param parameter the place of the buffer among the parameters
 * @param element the first element of the buffer that differs
 * @param first its value on the first device, for people
 * @param second likewise on the second one
 * @param distance how many values lie between them
 * @param differing how many elements differ
 * @param compared how many were compared
 * @param isNearScaled whether the two values would be near enough if units in the last place were
 *     those of the largest number of the buffer
 * @param isNoise whether the first device has computed something else when it ran once more
 * @param inputs what it has read
 * @param firstOutput the bytes of the buffer on the first device, or the first part of them
 * @param secondOutput likewise on the second one
 */
public record Finding(
    int number,
    Action.Dispatch dispatch,
    int parameter,
    long element,
    String first,
    String second,
    long distance,
    long differing,
    long compared,
    boolean isNearScaled,
    boolean isNoise,
    List<Input> inputs,
    byte[] firstOutput,
    byte[] secondOutput) {
  /** The element, both values and how far they are apart, for people. */
  public String values(Kernel kernel) {
    Parameter parted = kernel.parameters().get(parameter);
    String apart = Elements.isFloat(parted.type()) ? " ulps apart" : " apart";
    return "%s[%s], a %s: %s and %s%s"
        .formatted(
            parted.name(),
            element,
            parted.type().label(),
            first,
            second,
            distance == Long.MAX_VALUE ? "" : ", " + distance + apart);
  }

  /** How many elements differ, and what is known of the inputs, for people. */
  public List<String> circumstances(Kernel kernel) {
    List<String> lines = new ArrayList<>();
    lines.add("%s of %s elements differ".formatted(differing, compared));
    if (isNearScaled) {
      lines.add("near enough by units of the largest number of the buffer (scaled)");
    }
    if (isNoise) {
      lines.add("the first device differs from itself, too (noise)");
    }
    boolean areEqual = inputs.stream().allMatch(input -> input.different() == 0);
    lines.add(areEqual ? "its inputs are equal" : "its inputs differ:");
    for (Input input : inputs) {
      String name = kernel.parameters().get(input.parameter()).name();
      if (input.different() > 0) {
        lines.add("  %s: %s elements".formatted(name, input.different()));
      }
      if (input.bytes() == null) {
        lines.add("its input " + name + " is too large for a file");
      }
      if (input.fresh() > 0) {
        lines.add("nothing has written %s elements of its input %s".formatted(input.fresh(), name));
      }
    }
    return lines;
  }

  /**
   * What it has read from a buffer.
   *
   * @param bytes on the first device; null if they do not fit into an array
   * @param fresh how many elements nothing had written
   * @param different how many of the others differ between the two devices
   */
  public record Input(int parameter, byte @Nullable [] bytes, long fresh, long different) {}
}
