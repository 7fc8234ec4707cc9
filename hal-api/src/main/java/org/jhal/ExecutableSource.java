package org.jhal;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/**
 * Where a bundle of kernels is: a folder, a zip or jar file, or resources on a class path. A bundle
 * has a manifest, {@code manifest.json}, and the files that it names; docs/bundles.md describes it.
 *
 * <p>Nothing outside the bundle can be read through it: a path that is absolute or climbs out is
 * refused.
 *
 * <p>Immutable; any thread may use it.
 */
public final class ExecutableSource {
  private interface Reader {
    byte @Nullable [] read(String path) throws IOException;
  }

  private final String name;
  private final Reader reader;
  private final ClassLoader classLoader;

  private ExecutableSource(String name, Reader reader, ClassLoader classLoader) {
    this.name = name;
    this.reader = reader;
    this.classLoader = classLoader;
  }

  /**
   * The bundle in a folder, or in a zip or jar file.
   *
   * @throws HalException NOT_FOUND if there is nothing at {@code path}
   */
  public static ExecutableSource of(Path path) {
    ClassLoader loader = ExecutableSource.class.getClassLoader();
    if (Files.isDirectory(path)) {
      return new ExecutableSource(path.toString(), inside -> readFile(path, inside), loader);
    }
    if (Files.isRegularFile(path)) {
      return new ExecutableSource(path.toString(), inside -> readEntry(path, inside), loader);
    }
    throw new HalException(
        Status.NOT_FOUND, "no bundle at " + path + ": neither a folder nor a file");
  }

  /**
   * The bundle in the resources next to {@code anchor}, in the folder {@code folder}. Classes that
   * it names are looked up with the anchor's class loader first.
   */
  public static ExecutableSource ofResources(Class<?> anchor, String folder) {
    Objects.requireNonNull(folder, "folder");
    return new ExecutableSource(
        anchor.getName() + ":" + folder,
        inside -> {
          try (InputStream in = anchor.getResourceAsStream(folder + "/" + inside)) {
            return in == null ? null : in.readAllBytes();
          }
        },
        anchor.getClassLoader());
  }

  /** How messages call this bundle: its path. */
  public String name() {
    return name;
  }

  /** The loader whose classes a bundle's own classes may use. */
  public ClassLoader classLoader() {
    return classLoader;
  }

  /**
   * Reads a file of the bundle.
   *
   * @param path relative, with {@code /} between its parts
   * @return its bytes, or null if there is no such file
   * @throws HalException INVALID_ARGUMENT if {@code path} is absolute or leaves the bundle;
   *     DATA_LOSS if reading fails
   */
  public byte @Nullable [] read(String path) {
    if (path.isEmpty()
        || path.startsWith("/")
        || path.contains("\\")
        || path.contains(":")
        || climbs(path)) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "path '" + path + "' in bundle " + name + " points outside the bundle");
    }
    try {
      return reader.read(path);
    } catch (IOException e) {
      throw new HalException(
          Status.DATA_LOSS,
          "cannot read '" + path + "' of bundle " + name + ": " + e.getMessage(),
          e);
    }
  }

  private static boolean climbs(String path) {
    for (String part : path.split("/", -1)) {
      if (part.equals("..")) {
        return true;
      }
    }
    return false;
  }

  private static byte @Nullable [] readFile(Path folder, String inside) throws IOException {
    Path file = folder.resolve(inside);
    if (!Files.isRegularFile(file)) {
      return null;
    }
    if (!file.toRealPath().startsWith(folder.toRealPath())) {
      throw new IOException("a link leads out of the bundle");
    }
    return Files.readAllBytes(file);
  }

  private static byte @Nullable [] readEntry(Path archive, String inside) throws IOException {
    try (ZipFile zip = new ZipFile(archive.toFile())) {
      zip.stream()
          .map(ZipEntry::getName)
          .filter(entry -> entry.startsWith("/") || climbs(entry.replace('\\', '/')))
          .findFirst()
          .ifPresent(
              entry -> {
                throw new HalException(
                    Status.INVALID_ARGUMENT,
                    "entry '" + entry + "' of bundle " + archive + " points outside the bundle");
              });
      ZipEntry entry = zip.getEntry(inside);
      if (entry == null || entry.isDirectory()) {
        return null;
      }
      try (InputStream in = zip.getInputStream(entry)) {
        return in.readAllBytes();
      }
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
