// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.kernel;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jhal.ExecutableSource;
import org.jhal.cts.support.Cts;

/** A bundle that a test creates in a temporary folder, which is deleted after the test. */
final class BundleFolder implements AutoCloseable {
  private static final String MANIFEST = "manifest.json";
  private static final Pattern FILE = Pattern.compile("\"file\"\\s*:\\s*\"([^\"]+)\"");

  private static final Pattern INCLUDE = Pattern.compile("#\\s*include\\s*\"([^\"]+)\"");

  private final Path folder;
  private final List<Path> overlays = new ArrayList<>(); // the topmost is last

  private BundleFolder(Path folder) {
    this.folder = folder;
  }

  /** A bundle with this manifest and no other file; without any file if the manifest is empty. */
  static BundleFolder of(Cts cts, String manifest) {
    try {
      BundleFolder made =
          cts.closing(new BundleFolder(Files.createTempDirectory("jhal-cts-bundle")));
      if (!manifest.isEmpty()) {
        made.write(MANIFEST, manifest.getBytes(StandardCharsets.UTF_8));
      }
      return made;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The first bundle of the suite's kernels, with another manifest. Overlays of that bundle apply
   * to this one too, so a manifest must keep its name and its kernels.
   */
  static BundleFolder kernels(Cts cts, UnaryOperator<String> edit) {
    ExecutableSource original = cts.backend().kernels().get(0);
    String manifest = new String(read(original, MANIFEST), StandardCharsets.UTF_8);
    BundleFolder made = of(cts, edit.apply(manifest));
    original.overlays().forEach(overlay -> made.overlays.add(0, Path.of(overlay.name())));
    Matcher files = FILE.matcher(manifest);
    while (files.find()) {
      made.copy(original, files.group(1), read(original, files.group(1)));
    }
    return made;
  }

  /** Also copies the files that it includes, if the bundle has them. */
  private void copy(ExecutableSource from, String path, byte[] content) {
    if (Files.exists(folder.resolve(path))) {
      return;
    }
    write(path, content);
    Matcher includes = INCLUDE.matcher(new String(content, StandardCharsets.ISO_8859_1));
    while (includes.find()) {
      String name = includes.group(1);
      if (name.startsWith("/") || List.of(name.split("/", -1)).contains("..")) {
        continue; // not a file of the bundle
      }
      for (String place : List.of(path.substring(0, path.lastIndexOf('/') + 1) + name, name)) {
        byte[] included = from.read(place);
        if (included != null) {
          copy(from, place, included);
        }
      }
    }
  }

  /**
   * The manifest with another declaration of one of its kernels.
   *
   * @param declaration the JSON object
   */
  static String replaceKernel(String manifest, String kernel, String declaration) {
    Matcher name = Pattern.compile("\"name\"\\s*:\\s*\"" + kernel + "\"").matcher(manifest);
    assertTrue(name.find(), () -> "the manifest declares no " + kernel);
    int begin = manifest.lastIndexOf('{', name.start());
    int end = begin;
    for (int depth = 0; depth > 0 || end == begin; end++) {
      depth += manifest.charAt(end) == '{' ? 1 : manifest.charAt(end) == '}' ? -1 : 0;
    }
    return manifest.substring(0, begin) + declaration + manifest.substring(end);
  }

  private static byte[] read(ExecutableSource source, String path) {
    return Objects.requireNonNull(source.read(path), () -> source.name() + " has no " + path);
  }

  private void write(String path, byte[] content) {
    try {
      Path file = folder.resolve(path);
      Files.createDirectories(Objects.requireNonNull(file.getParent()));
      Files.write(file, content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The bundle with its overlays. */
  ExecutableSource source() {
    ExecutableSource source = ExecutableSource.of(folder);
    for (Path overlay : overlays) {
      source = source.withVariants(overlay);
    }
    return source;
  }

  @Override
  public void close() throws IOException {
    List<Path> all;
    try (Stream<Path> walk = Files.walk(folder)) {
      all = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : all) {
      Files.delete(path);
    }
  }
}
