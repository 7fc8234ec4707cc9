package org.jhal.cpu;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cpu.compile.Architecture;
import org.jhal.driver.bundle.Manifest;

/** The libraries that a bundle or an overlay gets, and its manifest. Owned by one thread. */
final class CpuVariants {
  private static final Gson GSON =
      new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();
  private static final String VARIANTS = "variants";

  private final Path folder;
  private final JsonObject manifest;
  private final JsonArray variants; // the new ones
  private final Map<String, byte[]> files = new LinkedHashMap<>();

  private CpuVariants(Path folder, JsonObject manifest, JsonArray variants) {
    this.folder = folder;
    this.manifest = manifest;
    this.variants = variants;
  }

  /**
   * For an overlay of a bundle, which replaces the overlay of the same bundle in this folder.
   *
   * @throws HalException INVALID_ARGUMENT if the folder has another manifest
   */
  static CpuVariants inOverlay(Path folder, String bundle) {
    Path file = folder.resolve(Manifest.FILE);
    if (Files.exists(file)) {
      JsonElement name = parse(file).get("bundle");
      if (name == null || !name.isJsonPrimitive() || !name.getAsString().equals(bundle)) {
        throw new HalException(
            Status.INVALID_ARGUMENT,
            "'" + file + "' is not that of an overlay for the bundle '" + bundle + "'");
      }
    }
    JsonObject manifest = new JsonObject();
    manifest.addProperty("version", 1);
    manifest.addProperty("bundle", bundle);
    JsonArray variants = new JsonArray();
    manifest.add(VARIANTS, variants);
    return new CpuVariants(folder, manifest, variants);
  }

  /**
   * For a bundle itself, in which they replace earlier ones.
   *
   * @throws HalException INVALID_ARGUMENT if the bundle is no folder
   */
  static CpuVariants inBundle(Path folder) {
    if (!Files.isDirectory(folder)) {
      throw new HalException(
          Status.INVALID_ARGUMENT, "'" + folder + "' is no folder, so nothing can be added to it");
    }
    JsonObject manifest = parse(folder.resolve(Manifest.FILE));
    return new CpuVariants(folder, manifest, new JsonArray());
  }

  private static JsonObject parse(Path file) {
    try {
      return JsonParser.parseString(Files.readString(file)).getAsJsonObject();
    } catch (IOException | JsonParseException | IllegalStateException e) {
      throw new HalException(
          Status.INVALID_ARGUMENT, "'" + file + "' cannot be read as a manifest: " + e, e);
    }
  }

  /**
   * Adds a library.
   *
   * @param source the file of the source in the bundle
   * @return the path of its file
   */
  String add(String source, Architecture architecture, byte[] library) {
    String base = source.substring(source.lastIndexOf('/') + 1).replaceFirst("\\.[^.]*$", "");
    String file = base + "." + architecture + ".so";
    files.put(file, library);
    JsonObject variant = new JsonObject();
    variant.addProperty("format", KernelCompiler.LIBRARY);
    variant.addProperty("file", file);
    variant.addProperty("architecture", architecture.label());
    variants.add(variant);
    return folder.resolve(file).toString();
  }

  /** Writes the libraries, then the manifest. */
  void write() throws IOException {
    Files.createDirectories(folder);
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      Files.write(folder.resolve(file.getKey()), file.getValue());
    }
    if (manifest.has("kernels")) { // a bundle: they come behind the C++, before Java
      JsonArray all = new JsonArray();
      boolean isAdded = false;
      for (JsonElement old : manifest.getAsJsonArray(VARIANTS)) {
        String format = old.getAsJsonObject().get("format").getAsString();
        if (!format.equals(KernelCompiler.LIBRARY)) {
          all.add(old);
        }
        if (format.equals(KernelCompiler.SOURCE) && !isAdded) {
          all.addAll(variants);
          isAdded = true;
        }
      }
      manifest.add(VARIANTS, all);
    }
    Files.writeString(folder.resolve(Manifest.FILE), GSON.toJson(manifest) + "\n");
  }
}
