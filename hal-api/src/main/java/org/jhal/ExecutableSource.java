// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.io.Closeable;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.module.ModuleReader;
import java.lang.module.ResolvedModule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import org.jhal.kernel.JavaKernel;
import org.jhal.spi.HostFailures;
import org.jspecify.annotations.Nullable;

/**
 * The location of a bundle of kernels: a folder, a zip or jar file, resources on a class path or in
 * a module, or the program itself. A bundle has a manifest, {@code manifest.json}, and the files
 * that it names; docs/bundles.md describes it. {@link #builder} creates one within the program.
 *
 * <p>Nothing outside the bundle can be read through it: a path that is absolute or leaves the
 * bundle is rejected.
 *
 * <p>Immutable; any thread may use it.
 */
public final class ExecutableSource {
  /** Opens a file of a bundle; returns null if there is no such file. */
  interface Reader {
    @Nullable InputStream open(String path) throws IOException;
  }

  private static final String MANIFEST = BundleManifest.FILE;
  private static final int MAX_BYTES = Integer.MAX_VALUE - 8; // the longest array

  private final String name;
  private final Reader reader;
  private final ClassLoader classLoader;
  private final Map<String, JavaKernel> javaKernels;
  private final List<ExecutableSource> overlays; // the topmost one first
  private final boolean isOverlay;

  private ExecutableSource(String name, Reader reader, ClassLoader classLoader) {
    this(name, reader, classLoader, Map.of());
  }

  ExecutableSource(
      String name, Reader reader, ClassLoader classLoader, Map<String, JavaKernel> javaKernels) {
    this(name, reader, classLoader, javaKernels, List.of(), false);
  }

  private ExecutableSource(
      String name,
      Reader reader,
      ClassLoader classLoader,
      Map<String, JavaKernel> javaKernels,
      List<ExecutableSource> overlays,
      boolean isOverlay) {
    this.name = name;
    this.reader = reader;
    this.classLoader = classLoader;
    this.javaKernels = Map.copyOf(javaKernels);
    this.overlays = List.copyOf(overlays);
    this.isOverlay = isOverlay;
  }

  /**
   * Returns the bundle in a folder, or in a zip or jar file. If an archive has no manifest itself,
   * the only folder at its top that has one is the bundle. This reads nothing yet.
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
      if (path.endsWith(MANIFEST)) {
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
   * Returns the bundle in the resources next to {@code anchor}, in the folder {@code folder}. This
   * also works in a module that does not open the folder's package. Classes that the bundle names
   * are looked up with the anchor's class loader first. This reads nothing yet.
   */
  public static ExecutableSource ofResources(Class<?> anchor, String folder) {
    Objects.requireNonNull(anchor, "anchor");
    Objects.requireNonNull(folder, "folder");
    return new ExecutableSource(
        anchor.getName() + ":" + folder,
        inside -> openResource(anchor, folder + "/" + inside),
        anchor.getClassLoader());
  }

  /**
   * Returns a builder for a bundle within the program, from code in strings, arrays, files and Java
   * objects.
   *
   * @param name the bundle's name, for messages
   * @throws HalException INVALID_ARGUMENT if {@code name} is empty
   */
  public static BundleBuilder builder(String name) {
    return new BundleBuilder(name);
  }

  /**
   * Returns this bundle with additional variants from outside, which are tried before its own: for
   * a device that supports none of its formats, or for code that was compiled for one device.
   * docs/bundles.md describes such an overlay.
   *
   * @param folder an overlay, or a folder of overlays, each in a folder of its own. Those for other
   *     bundles are skipped, which {@link Executable#refusals} reports.
   * @throws HalException NOT_FOUND if there is no overlay; PERMISSION_DENIED, RESOURCE_EXHAUSTED or
   *     DATA_LOSS if the folder cannot be read
   */
  public ExecutableSource withVariants(Path folder) {
    Objects.requireNonNull(folder, "folder");
    List<ExecutableSource> all = new ArrayList<>();
    for (Path found : overlaysIn(folder)) {
      ExecutableSource files = of(found);
      Reader above =
          inside -> {
            InputStream in = files.reader.open(inside);
            return in != null || inside.equals(MANIFEST) ? in : reader.open(inside);
          };
      all.add(new ExecutableSource(files.name, above, classLoader, Map.of(), List.of(), true));
    }
    all.addAll(overlays);
    return new ExecutableSource(name, reader, classLoader, javaKernels, all, isOverlay);
  }

  private static List<Path> overlaysIn(Path folder) {
    if (Files.isRegularFile(folder.resolve(MANIFEST))) {
      return List.of(folder);
    }
    List<Path> found = List.of();
    if (Files.isDirectory(folder)) {
      try (Stream<Path> inside = Files.list(folder)) {
        found = inside.filter(sub -> Files.isRegularFile(sub.resolve(MANIFEST))).sorted().toList();
      } catch (IOException | UncheckedIOException e) {
        throw HostFailures.of(Status.DATA_LOSS, "cannot read the folder " + folder, e);
      }
    }
    if (found.isEmpty()) {
      throw new HalException(
          Status.NOT_FOUND,
          "no variants in " + folder + ": neither it nor a folder in it has a " + MANIFEST);
    }
    return found;
  }

  /**
   * Returns the overlays that {@link #withVariants} has added to this bundle, in the order in which
   * they are tried. Each has its own manifest. It reads other files from its own folder, or else
   * from this bundle.
   */
  public List<ExecutableSource> overlays() {
    return overlays;
  }

  /**
   * Returns whether this is one of the {@link #overlays} of a bundle. If so, its files take
   * precedence over the classes of its {@link #classLoader}, which finds those of the bundle below.
   */
  public boolean isOverlay() {
    return isOverlay;
  }

  /**
   * Returns the bundle's name in messages: its path, {@code ANCHOR:FOLDER} for resources, or the
   * name that the program gave it.
   */
  public String name() {
    return name;
  }

  /**
   * Returns the class loader with which classes of the bundle are looked up first (for an overlay,
   * after its files), and whose classes they may use.
   */
  public ClassLoader classLoader() {
    return classLoader;
  }

  /**
   * Returns the kernels that are Java objects, by name; see {@link BundleBuilder#java(String,
   * JavaKernel)}. For drivers that load the format {@code java}; empty for all other bundles.
   */
  public Map<String, JavaKernel> javaKernels() {
    return javaKernels;
  }

  /**
   * Reads a file of the bundle, of any size up to that of an array.
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
   * @param limit the maximum size of the file in bytes, at least 0; no more bytes are read, so that
   *     a small archive cannot unpack to a huge file
   * @return its bytes, or null if there is no such file
   * @throws HalException INVALID_ARGUMENT if {@code path} is absolute or leaves the bundle, even
   *     through a link, if the process's locale cannot represent the file name, or if the file is
   *     larger than {@code limit}; PERMISSION_DENIED if it may not be read; RESOURCE_EXHAUSTED if
   *     there is no file handle left for it; DATA_LOSS if reading fails otherwise
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
    } catch (IllegalArgumentException e) { // also InvalidPathException
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "'"
              + path
              + "' of bundle "
              + name
              + " cannot be the name of a file here, where names are encoded in "
              + System.getProperty("sun.jnu.encoding", "an unknown charset")
              + "; the locale of the process decides that",
          e);
    } catch (IOException e) {
      String what = e instanceof ZipException ? ": it is no zip or jar that can be read" : "";
      throw HostFailures.of(
          Status.DATA_LOSS, "cannot read '" + path + "' of bundle " + name + what, e);
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
    // The module may not open the package. By passing its own class, it has allowed us to read
    // there.
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

  /** Returns a stream that also closes its source. */
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
        entry = zip.getEntry(bundleFolder(zip, archive, inside.equals(MANIFEST)) + inside);
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

  /**
   * Returns the only folder that has a manifest, with a trailing slash; empty if the archive itself
   * has one. Other files and folders beside it, such as what macOS adds, do not count.
   *
   * @param isWanted whether the manifest is what is looked for, so that its absence is a failure
   * @throws HalException NOT_FOUND if it is wanted and the archive has manifests elsewhere
   */
  private static String bundleFolder(ZipFile zip, Path archive, boolean isWanted) {
    if (zip.getEntry(MANIFEST) != null) {
      return "";
    }
    List<String> manifests =
        zip.stream()
            .map(ZipEntry::getName)
            .filter(entry -> entry.endsWith("/" + MANIFEST))
            .sorted()
            .toList();
    List<String> atTop =
        manifests.stream().filter(entry -> entry.indexOf('/') == entry.lastIndexOf('/')).toList();
    if (atTop.size() == 1) {
      return atTop.get(0).substring(0, atTop.get(0).length() - MANIFEST.length());
    }
    if (isWanted && !manifests.isEmpty()) {
      throw new HalException(
          Status.NOT_FOUND,
          "no bundle in "
              + archive
              + ": it has no "
              + MANIFEST
              + ", and neither has exactly one of the folders at its top; it has "
              + String.join(", ", manifests));
    }
    return "";
  }

  @Override
  public String toString() {
    return name;
  }
}
