// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.bundle;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jhal.ElementType;
import org.jhal.HalException;
import org.jhal.StructBuilder;
import org.jhal.StructType;
import org.jspecify.annotations.Nullable;

/** Reads the type of a struct parameter from a manifest: a vector's name, or fields. */
final class StructReader {
  private StructReader() {}

  static StructType read(JsonValue parameter) {
    JsonValue type = parameter.find("type");
    JsonValue fields = parameter.find("fields");
    if ((type == null) == (fields == null)) {
      throw parameter.failure(
          "is a struct; it must have either 'type', the name of a vector type, or 'fields'");
    }
    if (type != null) {
      if (parameter.find("alignment") != null) {
        throw parameter.failure("has a vector type, whose 'alignment' is fixed");
      }
      String name = type.string();
      StructType vector = vector(name);
      if (vector == null) {
        throw type.failure("is '" + name + "'; it must be a vector type such as float4 or dim3");
      }
      return vector;
    }
    return fields(parameter.get("fields"), parameter.find("alignment"));
  }

  private static StructType fields(JsonValue fields, @Nullable JsonValue alignment) {
    StructBuilder struct = StructType.builder();
    Set<String> names = new HashSet<>();
    for (JsonValue item : fields.items()) {
      item.allow("name", "type", "count");
      String name = item.get("name").identifier();
      if (!names.add(name)) {
        throw item.failure("has the name '" + name + "' of an earlier field");
      }
      JsonValue given = item.find("count");
      int count = given == null ? 1 : given.integer(1, StructType.MAX_BYTES);
      String type = item.get("type").string();
      StructType vector = vector(type);
      if (vector == null) {
        ElementType scalar = scalar(item.get("type"));
        attempt(item, () -> struct.add(name, scalar, count));
      } else {
        attempt(item, () -> struct.add(name, vector, count));
      }
    }
    if (names.isEmpty()) {
      throw fields.failure("is empty; it needs at least one item");
    }
    if (alignment != null) {
      int bytes = alignment.integer(1, StructType.MAX_ALIGNMENT);
      attempt(alignment, () -> struct.alignment(bytes));
    }
    return struct.build();
  }

  /** Reports what the builder refuses with its place in the manifest. */
  private static void attempt(JsonValue place, Supplier<StructBuilder> step) {
    try {
      StructBuilder unused = step.get();
    } catch (HalException e) {
      throw place.failure("is refused: " + e.getMessage());
    }
  }

  private static ElementType scalar(JsonValue type) {
    String text = type.string();
    List<String> labels = new ArrayList<>();
    for (ElementType element : ElementType.values()) {
      if (element.label().equals(text)) {
        return element;
      }
      labels.add(element.label());
    }
    throw type.failure(
        "is '"
            + text
            + "'; it must be a vector type such as float4, or one of "
            + String.join(", ", labels));
  }

  private static @Nullable StructType vector(String name) {
    return StructType.vectors().stream()
        .filter(vector -> vector.name().equals(name))
        .findFirst()
        .orElse(null);
  }
}
