package org.jhal;

import java.io.Closeable;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleReader;
import java.lang.module.ResolvedModule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/**
 * The place of a bundle of kernels: a folder, a zip or jar file, or resources on a class path or in
 * a module. A bundle has a manifest, {@code manifest.json}, and the files that it names;
 * docs/bundles.md describes it.
 *
 * <p>Nothing outside the bundle can be read through it: a path that is absolute or leaves the
 * bundle is refused.
 *
 * <p>Immutable; any thread may use it.
 */
public final class ExecutableSource {
  private interface Reader {
    @Nullable InputStream open(String path) throws IOException;
  }

  private static final int MAX_BYTES = Integer.MAX_VALUE - 8; // the longest array

  private final String name;
  private final Reader reader;
  private final ClassLoader classLoader;

  private ExecutableSource(String name, Reader reader, ClassLoader classLoader) {
    this.name = name;
    this.reader = reader;
    this.classLoader = classLoader;
  }

  /**
   * The bundle in a folder, or in a zip or jar file. If an archive holds one folder and nothing
   * else, that folder is the bundle. Nothing is read yet.
   *
   * @throws HalException NOT_FOUND if there is nothing at {@code path}; INVALID_ARGUMENT if {@code
   *     path} is the manifest of a bundle instead of the bundle
   */
  public static ExecutableSource of(Path path) {
    Objects.requireNonNull(path, "path");
    ClassLoader loader = ExecutableSource.class.getClassLoader();
    if (Files.isDirectory(path)) {
      return new ExecutableSource(path.toString(), inside -> openFile(path, inside), loader);
    }
    if (Files.isRegularFile(path)) {
      if (path.endsWith("manifest.json")) {
        Path folder = path.getParent() == null ? Path.of(".") : path.getParent();
        throw new HalException(
            Status.INVALID_ARGUMENT,
            "'" + path + "' is the manifest of a bundle; name its folder, '" + folder + "'");
      }
      return new ExecutableSource(path.toString(), inside -> openEntry(path, inside), loader);
    }
    throw new HalException(
        Status.NOT_FOUND, "no bundle at " + path + ": neither a folder nor a file");
  }

  /**
   * The bundle in the resources next to {@code anchor}, in the folder {@code folder}. This also
   * works in a module that does not open the folder's package. Classes that the bundle names are
   * looked up with the anchor's class loader first. Nothing is read yet.
   */
  public static ExecutableSource ofResources(Class<?> anchor, String folder) {
    Objects.requireNonNull(anchor, "anchor");
    Objects.requireNonNull(folder, "folder");
    return new ExecutableSource(
        anchor.getName() + ":" + folder,
        inside -> openResource(anchor, folder + "/" + inside),
        anchor.getClassLoader());
  }

  /** The bundle's name in messages: its path, or {@code ANCHOR:FOLDER} for resources. */
  public String name() {
    return name;
  }

  /**
   * The class loader with which classes of the bundle are looked up first, and whose classes they
   * may use.
   */
  public ClassLoader classLoader() {
    return classLoader;
  }

  /**
   * Reads a file of the bundle, whatever its size.
   *
   * @return its bytes, or null if there is no such file
   * @throws HalException as {@link #read(String, int)}
   */
  public byte @Nullable [] read(String path) {
    return read(path, MAX_BYTES);
  }

  /**
   * Reads a file of the bundle.
   *
   * @param path relative, with {@code /} between its parts
   * @param limit how many bytes the file may have; no more are read, so that a small archive cannot
   *     unpack to something huge
   * @return its bytes, or null if there is no such file
   * @throws HalException INVALID_ARGUMENT if {@code path} is absolute or leaves the bundle, also
   *     through a link, or the file is larger than {@code limit}; DATA_LOSS if reading fails
   */
  public byte @Nullable [] read(String path, int limit) {
    Objects.requireNonNull(path, "path");
    if (path.isEmpty()
        || path.startsWith("/")
        || path.contains("\\")
        || path.contains(":")
        || path.indexOf('\0') >= 0
        || climbs(path)) {
      throw outside(name, path);
    }
    try (InputStream in = reader.open(path)) {
      if (in == null) {
        return null;
      }
      byte[] bytes = in.readNBytes(limit);
      if (in.read() >= 0) {
        throw new HalException(
            Status.INVALID_ARGUMENT,
            "'" + path + "' of bundle " + name + " has more than " + limit + " bytes");
      }
      return bytes;
    } catch (IOException e) {
      String what = e instanceof ZipException ? "it is no zip or jar that can be read, " : "";
      throw new HalException(
          Status.DATA_LOSS,
          "cannot read '" + path + "' of bundle " + name + ": " + what + e.getMessage(),
          e);
    }
  }

  private static HalException outside(String bundle, String path) {
    return new HalException(
        Status.INVALID_ARGUMENT,
        "path '" + path + "' in bundle " + bundle + " points outside the bundle");
  }

  private static boolean climbs(String path) {
    for (String part : path.split("/", -1)) {
      if (part.equals("..")) {
        return true;
      }
    }
    return false;
  }

  private static @Nullable InputStream openFile(Path folder, String inside) throws IOException {
    Path file = folder.resolve(inside);
    if (!Files.isRegularFile(file)) {
      return null;
    }
    if (!file.toRealPath().startsWith(folder.toRealPath())) {
      throw outside(folder.toString(), inside);
    }
    return Files.newInputStream(file);
  }

  private static @Nullable InputStream openResource(Class<?> anchor, String name)
      throws IOException {
    InputStream in = anchor.getResourceAsStream(name);
    ModuleLayer layer = anchor.getModule().getLayer();
    if (in != null || layer == null) {
      return in;
    }
    // The module may not open the package. It passed its own class, so it allows us to read there.
    Optional<ResolvedModule> module =
        layer.configuration().findModule(anchor.getModule().getName());
    if (module.isEmpty()) {
      return null;
    }
    String folder = name.startsWith("/") ? "" : anchor.getPackageName().replace('.', '/') + "/";
    ModuleReader reader = module.get().reference().open();
    try {
      Optional<InputStream> found =
          reader.open(folder + name.substring(name.startsWith("/") ? 1 : 0));
      if (found.isEmpty()) {
        reader.close();
        return null;
      }
      return closing(found.get(), reader);
    } catch (IOException | RuntimeException e) {
      reader.close();
      throw e;
    }
  }

  /** A stream that also closes what it reads from. */
  private static InputStream closing(InputStream in, Closeable from) {
    return new FilterInputStream(in) {
      @Override
      public void close() throws IOException {
        try (from) {
          super.close();
        }
      }
    };
  }

  private static @Nullable InputStream openEntry(Path archive, String inside) throws IOException {
    ZipFile zip = new ZipFile(archive.toFile());
    try {
      zip.stream()
          .map(ZipEntry::getName)
          .filter(entry -> entry.startsWith("/") || climbs(entry.replace('\\', '/')))
          .findFirst()
          .ifPresent(
              entry -> {
                throw outside(archive.toString(), entry);
              });
      ZipEntry entry = zip.getEntry(inside);
      if (entry == null) {
        entry = zip.getEntry(onlyFolder(zip) + inside);
      }
      if (entry == null || entry.isDirectory()) {
        zip.close();
        return null;
      }
      return closing(zip.getInputStream(entry), zip);
    } catch (IOException | RuntimeException e) {
      zip.close();
      throw e;
    }
  }

  /** The folder that holds everything else, with a trailing slash; empty if there is none. */
  private static String onlyFolder(ZipFile zip) {
    List<String> tops =
        zip.stream()
            .map(entry -> entry.getName().substring(0, entry.getName().indexOf('/') + 1))
            .distinct()
            .limit(2)
            .toList();
    return tops.size() == 1 ? tops.get(0) : "";
  }

  @Override
  public String toString() {
    return name;
  }
}
