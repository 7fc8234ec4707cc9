// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.replay;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.kernels.bundle.Manifest;
import org.jhal.kernels.bundle.Variant;
import org.jhal.recording.format.BundleFiles;
import org.jhal.recording.format.Recording;
import org.jhal.spi.HostFailures;

/**
 * The bundles of a recording as folders, made when they are wanted, and those that are tried in
 * their places. Used by one thread.
 */
final class BundleFolders implements AutoCloseable {
  private static final String OVERLAY = "overlay-";

  private final Recording recording;
  private final Path folder;
  private final Map<Integer, ExecutableSource> made = new HashMap<>();
  private final Map<String, Path> substitutes;
  private final Map<Integer, BundleFiles> tried = new HashMap<>(); // as they were when loaded
  private final Set<String> notes = new LinkedHashSet<>();

  /**
   * For a recording.
   *
   * @param substitutes the folders of other bundles, by the name of the recorded one
   * @throws HalException INVALID_ARGUMENT if the recording has no bundle of such a name
   */
  BundleFolders(Recording recording, Map<String, Path> substitutes) {
    this.recording = recording;
    this.substitutes = substitutes;
    List<String> names =
        recording.bundles().stream().map(Recording.Bundle::name).distinct().toList();
    for (String name : substitutes.keySet()) {
      if (!names.contains(name)) {
        throw new HalException(
            Status.INVALID_ARGUMENT,
            "--substitute: the recording has no bundle '%s'; it has %s".formatted(name, names));
      }
    }
    try {
      folder = Files.createTempDirectory("hal-replay");
    } catch (IOException e) {
      throw HostFailures.of(Status.DATA_LOSS, "cannot make a temporary folder", e);
    }
  }

  /** The bundle with this number. */
  ExecutableSource get(int bundle) {
    ExecutableSource known = made.get(bundle);
    if (known == null) {
      Path place = folder.resolve(String.valueOf(bundle));
      writeTo(place, bundle);
      known = open(place);
      made.put(bundle, known);
      noteOtherClasses(known);
    }
    return known;
  }

  /**
   * What is tried in the place of this bundle, or the bundle.
   *
   * @throws HalException INVALID_ARGUMENT if it does not declare the same kernels
   */
  ExecutableSource getSubstitute(int bundle) {
    Path other = substitutes.get(recording.bundles().get(bundle).name());
    if (other == null) {
      return get(bundle);
    }
    ExecutableSource source = ExecutableSource.of(other);
    if (!declarations(source).equals(declarations(get(bundle)))) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          ("--substitute: %s does not declare the kernels of the recorded bundle '%s', in the same"
                  + " order, with the same parameters and workgroup sizes")
              .formatted(other, recording.bundles().get(bundle).name()));
    }
    tried.put(bundle, BundleFiles.read(source)); // its folder may change from now on
    return source;
  }

  private static List<List<Object>> declarations(ExecutableSource source) {
    return Manifest.read(source).kernels().stream()
        .map(kernel -> List.<Object>of(kernel.name(), kernel.parameters(), kernel.workgroupSize()))
        .toList();
  }

  /** What differs from the recording, for people. */
  Set<String> notes() {
    return notes;
  }

  /** A class on the class path takes precedence over the recorded one of the same name. */
  private void noteOtherClasses(ExecutableSource source) {
    for (Variant variant : Manifest.read(source).variants()) {
      String name = variant.className();
      if (name == null) {
        continue;
      }
      String file = name.replace('.', '/') + ".class";
      byte[] recorded = source.read(variant.path().isEmpty() ? file : variant.path() + "/" + file);
      try (InputStream in = source.classLoader().getResourceAsStream(file)) {
        if (in != null && !Arrays.equals(in.readAllBytes(), recorded)) {
          notes.add(
              "not hermetic: the class %s on the class path is not that of the recording"
                  .formatted(name));
        }
      } catch (IOException e) {
        throw HostFailures.of(Status.DATA_LOSS, "cannot read the class " + name, e);
      }
    }
  }

  /** Opens what {@link #writeTo} has written. */
  private static ExecutableSource open(Path place) {
    ExecutableSource source = ExecutableSource.of(place);
    for (int i = 0; Files.isDirectory(place.resolve(OVERLAY + i)); i++) {
      source = source.withVariants(place.resolve(OVERLAY + i));
    }
    return source;
  }

  /** Writes the files of what was tried in the place of a bundle; returns false if nothing was. */
  boolean writeSubstituteTo(Path place, int bundle) {
    BundleFiles other = tried.get(bundle);
    if (other == null) {
      return false;
    }
    try {
      for (Map.Entry<String, byte[]> file : other.files().entrySet()) {
        write(place.resolve(file.getKey()), file.getValue());
      }
    } catch (IOException e) {
      throw HostFailures.of(Status.DATA_LOSS, "cannot write the bundle to " + place, e);
    }
    return true;
  }

  /** Writes the files of a bundle into a folder, with its overlays in folders of their own. */
  void writeTo(Path place, int bundle) {
    Recording.Bundle recorded = recording.bundles().get(bundle);
    try {
      writeFiles(place, recorded.files());
      List<Map<String, Integer>> overlays = recorded.overlays();
      for (int i = 0; i < overlays.size(); i++) { // the topmost one is laid over last
        writeFiles(place.resolve(OVERLAY + (overlays.size() - 1 - i)), overlays.get(i));
      }
    } catch (IOException e) {
      throw HostFailures.of(Status.DATA_LOSS, "cannot write the bundle to " + place, e);
    }
  }

  private void writeFiles(Path place, Map<String, Integer> files) throws IOException {
    Files.createDirectories(place);
    for (Map.Entry<String, Integer> file : files.entrySet()) {
      if (!Manifest.isPath(file.getKey())) {
        throw new HalException(
            Status.INVALID_ARGUMENT,
            "the recording has a bundle with the file '" + file.getKey() + "', which leaves it");
      }
      write(place.resolve(file.getKey()), recording.payload(file.getValue()));
    }
  }

  private static void write(Path target, byte[] bytes) throws IOException {
    Files.createDirectories(target.getParent());
    Files.write(target, bytes);
  }

  @Override
  public void close() {
    try (Stream<Path> all = Files.walk(folder)) {
      all.sorted(Comparator.reverseOrder()).forEach(BundleFolders::delete);
    } catch (IOException | UncheckedIOException e) {
      return; // it is in the folder for temporary files
    }
  }

  private static void delete(Path file) {
    try {
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
