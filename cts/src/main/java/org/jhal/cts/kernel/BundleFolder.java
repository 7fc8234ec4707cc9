package org.jhal.cts.kernel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jhal.ExecutableSource;
import org.jhal.cts.support.Cts;

/** A bundle that a test makes in a folder of its own, which goes with the test. */
final class BundleFolder implements AutoCloseable {
  private static final String MANIFEST = "manifest.json";
  private static final Pattern FILE = Pattern.compile("\"file\"\\s*:\\s*\"([^\"]+)\"");

  private final Path folder;

  private BundleFolder(Path folder) {
    this.folder = folder;
  }

  /** A bundle with this manifest and no other file; without any file if it is empty. */
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

  /** The first bundle of the suite's kernels, with another manifest. */
  static BundleFolder kernels(Cts cts, UnaryOperator<String> edit) {
    ExecutableSource original = cts.backend().kernels().get(0);
    String manifest = new String(read(original, MANIFEST), StandardCharsets.UTF_8);
    BundleFolder made = of(cts, edit.apply(manifest));
    Matcher files = FILE.matcher(manifest);
    while (files.find()) {
      made.write(files.group(1), read(original, files.group(1)));
    }
    return made;
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

  /** The bundle. */
  ExecutableSource source() {
    return ExecutableSource.of(folder);
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
