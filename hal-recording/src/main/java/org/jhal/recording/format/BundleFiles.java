// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.format;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jhal.ExecutableSource;
import org.jhal.kernels.bundle.Manifest;
import org.jhal.kernels.bundle.Variant;
import org.jhal.kernels.source.SourceCode;
import org.jspecify.annotations.Nullable;

/**
 * Reads all that a bundle consists of: the manifest, the files of all variants and what they
 * include, and the class files of kernels in Java.
 *
 * <p>Its contents must not be changed.
 */
public final class BundleFiles {
  private final List<String> missing = new ArrayList<>();
  private final Manifest manifest;
  private final Map<String, byte[]> files;
  private final List<Map<String, byte[]>> overlays = new ArrayList<>();

  private BundleFiles(ExecutableSource source) {
    manifest = Manifest.read(source);
    files = files(source, manifest.variants());
    for (ExecutableSource overlay : source.overlays()) {
      List<Variant> variants = manifest.overlay(overlay);
      if (!variants.isEmpty()) { // else it is for another bundle
        overlays.add(files(overlay, variants));
      }
    }
  }

  /** Reads a bundle as it is now. */
  public static BundleFiles read(ExecutableSource source) {
    return new BundleFiles(source);
  }

  public String name() {
    return manifest.name();
  }

  /** The bytes of its files, by path. */
  public Map<String, byte[]> files() {
    return files;
  }

  /** Likewise, of each overlay, the topmost first. */
  public List<Map<String, byte[]>> overlays() {
    return overlays;
  }

  /** What could not be read of it, for people. */
  public List<String> missing() {
    return missing;
  }

  private Map<String, byte[]> files(ExecutableSource source, List<Variant> variants) {
    Map<String, byte[]> found = new LinkedHashMap<>();
    found.put(Manifest.FILE, manifestFile(source));
    for (Variant variant : variants) {
      String file = variant.file();
      String className = variant.className();
      if (file != null) {
        addFile(found, source, variant, file);
      } else if (className != null) {
        addClass(found, source, variant, className);
      } else {
        missing.add("the kernels that are Java objects of the program");
      }
    }
    return found;
  }

  private void addFile(
      Map<String, byte[]> found, ExecutableSource source, Variant variant, String file) {
    byte[] bytes = source.read(file);
    if (bytes == null) {
      missing.add(file + " of the variant " + variant.format());
      return;
    }
    found.put(file, bytes);
    if (variant.format().endsWith("c++")) {
      SourceCode.read(source, file, bytes, file)
          .headers()
          .forEach((name, text) -> found.put(name, text.getBytes(StandardCharsets.UTF_8)));
    }
  }

  private void addClass(
      Map<String, byte[]> found, ExecutableSource source, Variant variant, String className) {
    String file = className.replace('.', '/') + ".class";
    String path = variant.path().isEmpty() ? file : variant.path() + "/" + file;
    byte[] bytes = source.read(path);
    if (bytes == null) {
      bytes = resource(source.classLoader(), file);
    }
    if (bytes == null) {
      missing.add("the class " + className);
    } else {
      found.put(path, bytes);
    }
  }

  private static byte @Nullable [] resource(@Nullable ClassLoader loader, String file) {
    try (InputStream in =
        loader == null
            ? ClassLoader.getSystemResourceAsStream(file)
            : loader.getResourceAsStream(file)) {
      return in == null ? null : in.readAllBytes();
    } catch (IOException e) {
      return null;
    }
  }

  /** The manifest without variants that only the program has. */
  private static byte[] manifestFile(ExecutableSource source) {
    byte[] original = source.read(Manifest.FILE, Manifest.MAX_BYTES);
    if (original == null) {
      throw new IllegalStateException("a bundle without a manifest was loaded");
    }
    if (source.javaKernels().isEmpty()) {
      return original;
    }
    JsonObject root =
        JsonParser.parseString(new String(original, StandardCharsets.UTF_8)).getAsJsonObject();
    JsonArray kept = new JsonArray();
    for (JsonElement variant : root.getAsJsonArray("variants")) {
      JsonObject object = variant.getAsJsonObject();
      if (object.has("file") || object.has("class")) {
        kept.add(object);
      }
    }
    root.add("variants", kept);
    return new Gson().toJson(root).getBytes(StandardCharsets.UTF_8);
  }
}
