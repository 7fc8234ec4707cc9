// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.Status;

/**
 * Hints of a manifest for {@code hal run}, which save the user arguments: the object {@code run} of
 * a kernel. docs/bundles.md describes it.
 *
 * @param place the name of these hints in messages
 * @param groups expressions for the number of workgroups along x, y, z; empty if not given
 * @param items expressions for the number of work items along x, y, z; empty if not given
 * @param constants expressions by the name of the constant
 * @param shapes expressions, one per dimension, by the name of the buffer
 */
record RunHints(
    String place,
    List<String> groups,
    List<String> items,
    Map<String, String> constants,
    Map<String, List<String>> shapes) {
  private static final String FILE = "manifest.json";
  private static final int MAX_BYTES = 1 << 20;

  /** The hints of a kernel that has none. */
  static RunHints none(String place) {
    return new RunHints(place, List.of(), List.of(), Map.of(), Map.of());
  }

  /**
   * Reads the hints for {@code kernel}.
   *
   * @throws HalException INVALID_ARGUMENT if they are malformed; the message says where
   */
  static RunHints read(ExecutableSource source, String kernel) {
    String place = "bundle " + source.name() + ", hints for kernel '" + kernel + "'";
    byte[] bytes = source.read(FILE, MAX_BYTES);
    if (bytes == null) {
      return none(place);
    }
    try {
      JsonElement root = JsonParser.parseString(new String(bytes, StandardCharsets.UTF_8));
      for (JsonElement element : root.getAsJsonObject().getAsJsonArray("kernels")) {
        JsonObject object = element.getAsJsonObject();
        if (object.get("name").getAsString().equals(kernel)) {
          JsonElement run = object.get("run");
          return run == null ? none(place) : new Reader(place).hints(run);
        }
      }
      return none(place);
    } catch (JsonParseException
        | IllegalStateException
        | UnsupportedOperationException
        | ClassCastException
        | NullPointerException e) {
      // Loading the bundle checked everything but the hints, so the manifest has just changed.
      throw new HalException(
          Status.INVALID_ARGUMENT, place + ": the manifest cannot be read: " + e, e);
    }
  }

  private record Reader(String place) {
    RunHints hints(JsonElement run) {
      Map<String, JsonElement> members = object("run", run);
      List<String> groups = List.of();
      List<String> items = List.of();
      Map<String, String> constants = Map.of();
      Map<String, List<String>> shapes = Map.of();
      for (Map.Entry<String, JsonElement> member : members.entrySet()) {
        String key = member.getKey();
        JsonElement value = member.getValue();
        switch (key) {
          case "groups" -> groups = axes(key, value);
          case "items" -> items = axes(key, value);
          case "constants" -> constants = constants(value);
          case "shapes" -> shapes = shapes(value);
          default ->
              throw malformed(
                  key, "is unknown; known keys are groups, items, constants and shapes");
        }
      }
      if (!groups.isEmpty() && !items.isEmpty()) {
        throw malformed("groups", "and items cannot both be given");
      }
      return new RunHints(place, groups, items, constants, shapes);
    }

    private List<String> axes(String key, JsonElement value) {
      List<String> axes = expressions(key, value);
      if (axes.isEmpty() || axes.size() > 3) {
        throw malformed(key, "must have 1 to 3 entries, for x, y and z, not " + axes.size());
      }
      return axes;
    }

    private Map<String, String> constants(JsonElement value) {
      Map<String, String> constants = new LinkedHashMap<>();
      object("constants", value)
          .forEach((name, text) -> constants.put(name, expression("constants." + name, text)));
      return constants;
    }

    private Map<String, List<String>> shapes(JsonElement value) {
      Map<String, List<String>> shapes = new LinkedHashMap<>();
      object("shapes", value)
          .forEach((name, list) -> shapes.put(name, expressions("shapes." + name, list)));
      return shapes;
    }

    private Map<String, JsonElement> object(String key, JsonElement value) {
      if (!value.isJsonObject()) {
        throw malformed(key, "must be an object, not " + value);
      }
      return value.getAsJsonObject().asMap();
    }

    private List<String> expressions(String key, JsonElement value) {
      if (!(value instanceof JsonArray array)) {
        throw malformed(key, "must be an array, not " + value);
      }
      List<String> expressions = new ArrayList<>();
      for (JsonElement element : array) {
        expressions.add(expression(key, element));
      }
      return expressions;
    }

    private String expression(String key, JsonElement value) {
      if (!value.isJsonPrimitive() || value.getAsJsonPrimitive().isBoolean()) {
        throw malformed(key, "must be a number or a string, not " + value);
      }
      return value.getAsString();
    }

    private HalException malformed(String key, String why) {
      return new HalException(Status.INVALID_ARGUMENT, place + ": '" + key + "' " + why);
    }
  }
}
