// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.cli.data.Shape;
import org.jspecify.annotations.Nullable;

/**
 * The options of {@code hal run BUNDLE}, parsed but not yet compared with the kernel.
 *
 * @param args literals and input files, by parameter
 * @param outs output files, by parameter
 * @param shapes by parameter
 * @param groups the grid, or null if the manifest decides
 * @param force whether an output may take the place of an input
 */
record RunArguments(
    Map<String, String> args,
    Map<String, String> outs,
    Map<String, Shape> shapes,
    @Nullable Workgroups groups,
    boolean force) {
  /**
   * Parses the values of the options.
   *
   * @throws HalException INVALID_ARGUMENT if one is malformed or a name is repeated; OUT_OF_RANGE
   *     for a negative or far too large number
   */
  static RunArguments parse(
      List<String> args,
      List<String> outs,
      List<String> shapes,
      @Nullable String groups,
      boolean force) {
    Map<String, Shape> parsedShapes = new LinkedHashMap<>();
    pairs("--shape", shapes).forEach((name, text) -> parsedShapes.put(name, Shape.parse(text)));
    return new RunArguments(
        pairs("--arg", args),
        pairs("--out", outs),
        parsedShapes,
        groups == null ? null : grid(groups),
        force);
  }

  private static Map<String, String> pairs(String option, List<String> texts) {
    Map<String, String> pairs = new LinkedHashMap<>();
    for (String text : texts) {
      int equals = text.indexOf('=');
      if (equals <= 0 || equals == text.length() - 1) {
        throw invalid(option + " '" + text + "' is not of the form NAME=VALUE");
      }
      String name = text.substring(0, equals);
      if (pairs.put(name, text.substring(equals + 1)) != null) {
        throw invalid(option + " '" + name + "' is given twice");
      }
    }
    return pairs;
  }

  private static Workgroups grid(String text) {
    String[] parts = text.split(",", -1);
    int[] counts = {1, 1, 1};
    if (parts.length > 3) {
      throw invalid("--groups '" + text + "' has more than three numbers");
    }
    for (int i = 0; i < parts.length; i++) {
      if (!parts[i].matches("-?[0-9]+")) {
        throw invalid("--groups '" + text + "' is not of the form X, X,Y or X,Y,Z");
      }
      try {
        counts[i] = Integer.parseInt(parts[i]);
      } catch (NumberFormatException e) {
        throw new HalException(
            Status.OUT_OF_RANGE,
            "--groups '" + text + "': " + parts[i] + " is not from 0 to " + Integer.MAX_VALUE);
      }
    }
    return new Workgroups(counts[0], counts[1], counts[2]);
  }

  private static HalException invalid(String message) {
    return new HalException(Status.INVALID_ARGUMENT, message);
  }
}
