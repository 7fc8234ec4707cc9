// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.recording.format.Action;
import org.jspecify.annotations.Nullable;

/**
 * The first dispatch whose results part.
 *
 * @param number its number among all dispatches, from 0
 * @param firstFormat the format of the variant that ran on the first device
 * @param secondFormat likewise on the second one
 * @param differences the buffers that differ, in the order of the parameters; at least one
 * @param isNoise whether the first device has written something else into one of these when it ran
 *     once more
 * @param inputs what it has read
 */
public record Finding(
    int number,
    Action.Dispatch dispatch,
    String firstFormat,
    String secondFormat,
    List<Difference> differences,
    boolean isNoise,
    List<Input> inputs) {
  /**
   * What differs, and what is known of the inputs, for people.
   *
   * @param names the names of buffers, by the places of their parameters
   */
  public List<String> lines(Kernel kernel, Map<Integer, String> names) {
    List<Parameter> parameters = kernel.parameters();
    List<String> lines = new ArrayList<>();
    for (Difference difference : differences) {
      int at = difference.parameter();
      lines.add(difference.text(parameters.get(at), quoted(names.get(at))));
    }
    if (isNoise) {
      lines.add("the first device differs from itself, too (noise)");
    }
    boolean areEqual = inputs.stream().allMatch(input -> input.different() == 0);
    lines.add(areEqual ? "its inputs are equal" : "its inputs differ:");
    for (Input input : inputs) {
      int at = input.parameter();
      String name = parameters.get(at).name() + quoted(names.get(at));
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

  private static String quoted(@Nullable String name) {
    return name == null ? "" : " '" + name + "'";
  }

  /**
   * A buffer that differs.
   *
   * @param parameter its place among the parameters
   * @param element the first element that differs
   * @param first its value on the first device, for people
   * @param second likewise on the second one
   * @param distance how many values lie between them
   * @param differing how many elements differ
   * @param compared how many were compared
   * @param nearScaledBy the largest number of the buffer, if the two values would be near enough by
   *     its unit in the last place; else null
   * @param firstOutput the bytes of the buffer on the first device, or the part of them with the
   *     element
   * @param secondOutput likewise on the second one
   */
  public record Difference(
      int parameter,
      long element,
      String first,
      String second,
      long distance,
      long differing,
      long compared,
      @Nullable Double nearScaledBy,
      byte[] firstOutput,
      byte[] secondOutput) {
    /** The same with these numbers of elements. */
    Difference counted(long differingElements, long comparedElements) {
      return new Difference(
          parameter,
          element,
          first,
          second,
          distance,
          differingElements,
          comparedElements,
          nearScaledBy,
          firstOutput,
          secondOutput);
    }

    private String text(Parameter parted, String name) {
      String label = parted.type().label();
      String apart = Elements.isFloat(parted.type()) ? " ulps apart" : " apart";
      return "%s[%s]%s, %s %s: %s and %s%s; %s of %s elements differ%s"
          .formatted(
              parted.name(),
              element,
              name,
              label.startsWith("u") || label.startsWith("b") ? "a" : "an",
              label,
              first,
              second,
              distance == Long.MAX_VALUE ? "" : ", " + distance + apart,
              differing,
              compared,
              nearScaledBy == null
                  ? ""
                  : "; near enough by units of the largest number of the buffer, "
                      + nearScaledBy
                      + " (scaled)");
    }
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
