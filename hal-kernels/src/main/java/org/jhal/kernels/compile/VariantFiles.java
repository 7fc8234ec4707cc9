// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.compile;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.kernels.bundle.KernelSpec;
import org.jhal.kernels.bundle.Manifest;
import org.jhal.kernels.bundle.Variant;
import org.jhal.spi.HostFailures;

/** The variants that a bundle or an overlay gets, and its manifest. Owned by one thread. */
final class VariantFiles {
  private static final Gson GSON =
      new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();
  private static final String VARIANTS = "variants";
  private static final String FORMAT = "format";
  private static final String ARCHITECTURE = "architecture";

  private final Path folder;
  private final JsonObject manifest;
  private final JsonArray variants = new JsonArray(); // the new ones
  private final Map<String, byte[]> files = new LinkedHashMap<>();

  private VariantFiles(Path folder, JsonObject manifest) {
    this.folder = folder;
    this.manifest = manifest;
  }

  /**
   * For an overlay of a bundle. One that is in this folder keeps its other variants.
   *
   * @throws HalException INVALID_ARGUMENT if the folder has another manifest
   */
  static VariantFiles inOverlay(Path folder, String bundle) {
    Path file = folder.resolve(Manifest.FILE);
    if (!Files.exists(file)) {
      JsonObject manifest = new JsonObject();
      manifest.addProperty("version", 1);
      manifest.addProperty("bundle", bundle);
      manifest.add(VARIANTS, new JsonArray());
      return new VariantFiles(folder, manifest);
    }
    JsonObject manifest = parse(file);
    JsonElement name = manifest.get("bundle");
    if (name == null || !name.isJsonPrimitive() || !name.getAsString().equals(bundle)) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "'" + file + "' is not that of an overlay for the bundle '" + bundle + "'");
    }
    if (!(manifest.get(VARIANTS) instanceof JsonArray)) {
      manifest.add(VARIANTS, new JsonArray());
    }
    return new VariantFiles(folder, manifest);
  }

  /**
   * For a bundle itself, which keeps its other variants.
   *
   * @throws HalException INVALID_ARGUMENT if the bundle is not a folder
   */
  static VariantFiles inBundle(Path folder) {
    if (!Files.isDirectory(folder)) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "'" + folder + "' is not a folder, so nothing can be added to it");
    }
    return new VariantFiles(folder, parse(folder.resolve(Manifest.FILE)));
  }

  private static JsonObject parse(Path file) {
    try {
      return JsonParser.parseString(Files.readString(file)).getAsJsonObject();
    } catch (IOException e) {
      throw HostFailures.of(Status.DATA_LOSS, "cannot read '" + file + "'", e);
    } catch (JsonParseException | IllegalStateException e) {
      throw new HalException(
          Status.INVALID_ARGUMENT, "'" + file + "' cannot be read as a manifest: " + e, e);
    }
  }

  /**
   * Adds a variant.
   *
   * @param source the variant in C++ that it was compiled from
   * @return the path of its file
   */
  String add(Variant source, List<KernelSpec> kernels, CompileTarget target, byte[] code) {
    String file = String.valueOf(source.file());
    String base = file.substring(file.lastIndexOf('/') + 1).replaceFirst("\\.[^.]*$", "");
    String compiled = base + "." + target.suffix();
    files.put(compiled, code);
    JsonObject variant = new JsonObject();
    variant.addProperty(FORMAT, target.format());
    variant.addProperty("file", compiled);
    String architecture = target.architecture();
    if (architecture != null) {
      variant.addProperty(ARCHITECTURE, architecture);
    }
    Map<String, String> entries = target.entries(source, kernels);
    if (!entries.isEmpty()) {
      variant.add("entries", GSON.toJsonTree(new TreeMap<>(entries)));
    }
    variants.add(variant);
    return folder.resolve(compiled).toString();
  }

  /**
   * Writes the code, then the manifest. Each file is replaced as a whole, and none before all are
   * written. No symbolic link in the folder is followed.
   */
  void write() throws IOException {
    manifest.add(VARIANTS, merged());
    files.put(Manifest.FILE, (GSON.toJson(manifest) + "\n").getBytes(StandardCharsets.UTF_8));
    Files.createDirectories(folder);
    Map<Path, Path> parts = new LinkedHashMap<>(); // by what they become
    try {
      for (Map.Entry<String, byte[]> file : files.entrySet()) {
        Path target = folder.resolve(file.getKey());
        Path part = folder.resolve(file.getKey() + ".part" + ProcessHandle.current().pid());
        Files.deleteIfExists(part); // of a process that was killed, or a link that others have made
        parts.put(target, part);
        Files.write(part, file.getValue(), StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
      }
      for (Map.Entry<Path, Path> each : parts.entrySet()) {
        Files.move(each.getValue(), each.getKey(), StandardCopyOption.ATOMIC_MOVE);
      }
    } finally {
      for (Path part : parts.values()) {
        Files.deleteIfExists(part);
      }
    }
  }

  /** All variants: the new ones come behind the C++ if that is there, and else first. */
  private JsonArray merged() {
    JsonArray all = new JsonArray();
    boolean isAdded = !manifest.has("kernels"); // an overlay, which may have no C++
    if (isAdded) {
      all.addAll(variants);
    }
    for (JsonElement one : manifest.getAsJsonArray(VARIANTS)) {
      if (!isReplaced(one.getAsJsonObject())) {
        all.add(one);
      }
      if (!isAdded && text(one.getAsJsonObject(), FORMAT).equals(Variant.CPP)) {
        all.addAll(variants);
        isAdded = true;
      }
    }
    return all;
  }

  /** Whether a new variant is of the same format, for the same processors. */
  private boolean isReplaced(JsonObject old) {
    for (JsonElement one : variants) {
      JsonObject added = one.getAsJsonObject();
      if (text(old, FORMAT).equals(text(added, FORMAT))
          && text(old, ARCHITECTURE).equals(text(added, ARCHITECTURE))) {
        return true;
      }
    }
    return false;
  }

  private static String text(JsonObject object, String key) {
    JsonElement value = object.get(key);
    return value == null || !value.isJsonPrimitive() ? "" : value.getAsString();
  }
}
