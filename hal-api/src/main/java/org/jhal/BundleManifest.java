// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Writes the manifest of a {@link BundleBuilder}'s bundle. docs/bundles.md describes the form. */
final class BundleManifest {
  /** The path of the manifest in its bundle. */
  static final String FILE = "manifest.json";

  record KernelDeclaration(
      String name,
      Workgroups workgroupSize,
      int sharedMemory,
      boolean isCooperative,
      List<Parameter> parameters) {
    KernelDeclaration asCooperative() {
      return new KernelDeclaration(name, workgroupSize, sharedMemory, true, parameters);
    }
  }

  static final class Variant {
    final String format;
    final String key; // file, class, or empty for the kernels that are Java objects
    final String value;
    final Map<String, List<String>> options = new LinkedHashMap<>(); // by compiler
    final Map<String, String> entries = new LinkedHashMap<>();

    Variant(String format, String key, String value) {
      this.format = format;
      this.key = key;
      this.value = value;
    }
  }

  private BundleManifest() {}

  static String text(
      String name,
      boolean isPortable,
      List<KernelDeclaration> kernels,
      List<Global> globals,
      List<Variant> variants) {
    return "{\"version\": 1, \"name\": "
        + quoted(name)
        + (isPortable ? ", \"arithmetic\": \"portable\"" : "")
        + ", \"kernels\": ["
        + String.join(", ", kernels.stream().map(BundleManifest::json).toList())
        + "]"
        + (globals.isEmpty()
            ? ""
            : ", \"globals\": ["
                + String.join(", ", globals.stream().map(BundleManifest::json).toList())
                + "]")
        + ", \"variants\": ["
        + String.join(", ", variants.stream().map(BundleManifest::json).toList())
        + "]}";
  }

  private static String json(Global global) {
    return "{\"name\": "
        + quoted(global.name())
        + ", \"type\": "
        + quoted(lower(global.type()))
        + ", \"count\": "
        + global.count()
        + "}";
  }

  private static String json(KernelDeclaration kernel) {
    Workgroups size = kernel.workgroupSize;
    return "{\"name\": "
        + quoted(kernel.name)
        + ", \"parameters\": ["
        + String.join(", ", kernel.parameters.stream().map(BundleManifest::json).toList())
        + "], \"workgroupSize\": ["
        + size.x()
        + ", "
        + size.y()
        + ", "
        + size.z()
        + "], \"dynamicSharedMemory\": "
        + kernel.sharedMemory
        + (kernel.isCooperative ? ", \"cooperative\": true" : "")
        + "}";
  }

  private static String json(Parameter parameter) {
    String direction =
        parameter.kind() == Parameter.Kind.BUFFER
            ? ", \"direction\": " + quoted(lower(parameter.direction()))
            : "";
    StructType struct = parameter.struct();
    return "{\"name\": "
        + quoted(parameter.name())
        + ", \"kind\": "
        + quoted(lower(parameter.kind()))
        + (struct == null || struct.isVector()
            ? ", \"type\": " + quoted(parameter.typeName())
            : layout(struct))
        + direction
        + "}";
  }

  private static String layout(StructType struct) {
    List<String> fields = new ArrayList<>();
    for (StructType.Field field : struct.fields()) {
      String count = field.count() == 1 ? "" : ", \"count\": " + field.count();
      fields.add(
          "{\"name\": "
              + quoted(field.name())
              + ", \"type\": "
              + quoted(field.typeName())
              + count
              + "}");
    }
    return ", \"fields\": ["
        + String.join(", ", fields)
        + "], \"alignment\": "
        + struct.alignment();
  }

  private static String json(Variant variant) {
    StringBuilder text = new StringBuilder("{\"format\": " + quoted(variant.format));
    if (!variant.key.isEmpty()) {
      text.append(", ").append(quoted(variant.key)).append(": ").append(quoted(variant.value));
    }
    if (!variant.options.isEmpty()) {
      List<String> options = new ArrayList<>();
      variant.options.forEach(
          (compiler, list) -> {
            List<String> quoted = list.stream().map(BundleManifest::quoted).toList();
            options.add(quoted(compiler) + ": [" + String.join(", ", quoted) + "]");
          });
      text.append(", \"options\": {").append(String.join(", ", options)).append("}");
    }
    if (!variant.entries.isEmpty()) {
      List<String> entries = new ArrayList<>();
      variant.entries.forEach(
          (kernel, entry) -> entries.add(quoted(kernel) + ": " + quoted(entry)));
      text.append(", \"entries\": {").append(String.join(", ", entries)).append("}");
    }
    return text.append("}").toString();
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  private static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\' || c < ' ') {
        quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
