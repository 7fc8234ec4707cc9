// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URL;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.jhal.DriverRegistry.Entry;
import org.jhal.spi.DriverProvider;
import org.jhal.spi.HostFailures;
import org.jspecify.annotations.Nullable;

/**
 * Searches for drivers with one or two class loaders.
 *
 * <p>Only the drivers found by the class loader of JHAL itself are cached. That class loader lives
 * at least as long as this class, so the cache keeps no class loader of an application alive. Other
 * class loaders are searched each time.
 *
 * <p>Thread-safe.
 */
final class DriverSearch {
  private static final int MAX_FAILURES = 1000; // a loader may fail again and again

  /**
   * The drivers that {@link #ownLoader} found last; null before the first search. A new search
   * replaces them.
   */
  private static volatile @Nullable List<FoundDriver> known;

  /** A class loader and its role in the search, for messages. */
  private record Asked(ClassLoader loader, String role) {
    @Override
    public String toString() {
      return role + " (" + (loader.getName() == null ? loader : loader.getName()) + ")";
    }
  }

  private final List<Asked> asked;

  private DriverSearch(List<Asked> asked) {
    this.asked = asked;
  }

  /** Returns a search with the class loader of JHAL itself, then with the context class loader. */
  static DriverSearch ofThisThread() {
    Asked own = new Asked(ownLoader(), "the class loader of JHAL itself");
    Thread thread = Thread.currentThread();
    ClassLoader context = thread.getContextClassLoader();
    String role = "the context class loader of thread '" + thread.getName() + "'";
    return new DriverSearch(
        context == null || context == own.loader
            ? List.of(own)
            : List.of(own, new Asked(context, role)));
  }

  /** Returns a search with {@code loader} alone. */
  static DriverSearch of(ClassLoader loader) {
    return new DriverSearch(List.of(new Asked(loader, "the given class loader")));
  }

  private static ClassLoader ownLoader() {
    ClassLoader own = DriverSearch.class.getClassLoader();
    return own == null ? ClassLoader.getSystemClassLoader() : own; // null: the bootstrap loader
  }

  /**
   * Returns the drivers, sorted.
   *
   * @param mayBeKnown whether an earlier result of the class loader of JHAL itself may be reused
   */
  List<FoundDriver> run(boolean mayBeKnown) {
    List<FoundDriver> found = new ArrayList<>();
    for (Asked one : asked) {
      for (FoundDriver candidate : look(one.loader, mayBeKnown)) {
        if (found.stream().noneMatch(candidate::isSame)) {
          found.add(candidate);
        }
      }
    }
    return sorted(withoutDoubles(found));
  }

  private static List<FoundDriver> look(ClassLoader loader, boolean mayBeKnown) {
    if (loader != ownLoader()) {
      return look(loader);
    }
    List<FoundDriver> before = known;
    if (mayBeKnown && before != null) {
      return before;
    }
    List<FoundDriver> now = look(loader);
    known = now; // if two threads search concurrently, either may win: both found the same
    return now;
  }

  private static List<FoundDriver> look(ClassLoader loader) {
    List<FoundDriver> found = new ArrayList<>();
    Iterator<ServiceLoader.Provider<DriverProvider>> providers =
        ServiceLoader.load(DriverProvider.class, loader).stream().iterator();
    int failures = 0;
    while (failures < MAX_FAILURES) {
      try {
        if (!providers.hasNext()) {
          break;
        }
        found.add(examine(providers.next(), loader));
      } catch (ServiceConfigurationError | LinkageError e) { // a missing or unlinkable class
        failures++;
        found.add(
            new FoundDriver(
                null,
                -1,
                new Entry(
                    "?", FoundDriver.UNKNOWN, "cannot be loaded: " + FoundDriver.oneLine(e))));
      }
    }
    return List.copyOf(found);
  }

  private static FoundDriver examine(
      ServiceLoader.Provider<DriverProvider> candidate, ClassLoader loader) {
    String location = location(candidate.type());
    String className = candidate.type().getName();
    try {
      DriverProvider provider = candidate.get();
      String name = Objects.requireNonNull(provider.name(), "name of the provider");
      return new FoundDriver(
          provider, provider.preference(), new Entry(name, location, problem(provider, loader)));
    } catch (RuntimeException | LinkageError | ServiceConfigurationError | AssertionError e) {
      return new FoundDriver(
          null, -1, new Entry(className, location, "cannot be loaded: " + FoundDriver.oneLine(e)));
    }
  }

  /** Returns why a provider that could be loaded is unusable, or null if it is usable. */
  private static @Nullable String problem(DriverProvider provider, ClassLoader loader) {
    String api = Version.refusal("API", provider.apiVersion(), DriverProvider.API_VERSION);
    String spi = Version.refusal("SPI", provider.spiVersion(), DriverProvider.SPI_VERSION);
    if (api != null || spi != null) {
      return Stream.of(api, spi).filter(Objects::nonNull).collect(Collectors.joining("; "));
    }
    if (!DeviceUri.NAME.matcher(provider.name()).matches()) {
      return "its name " + DeviceUri.NAME_RULE;
    }
    // If two jars contain the same class, a class loader finds only the first one.
    String file = provider.getClass().getName().replace('.', '/') + ".class";
    try {
      List<String> places =
          loader.resources(file).map(url -> place(url, file)).distinct().sorted().toList();
      return places.size() < 2 ? null : doubled(places);
    } catch (UncheckedIOException e) {
      return null; // no evidence of a second one
    }
  }

  private static String doubled(List<String> places) {
    return "there are "
        + places.size()
        + " drivers of this name: in "
        + String.join(" and in ", places);
  }

  private static List<FoundDriver> withoutDoubles(List<FoundDriver> found) {
    List<FoundDriver> result = new ArrayList<>();
    for (FoundDriver one : found) {
      List<String> places = new ArrayList<>();
      for (FoundDriver other : found) {
        if (other.provider != null && other.entry.name().equals(one.entry.name())) {
          places.add(other.entry.location());
        }
      }
      if (one.provider == null || places.size() < 2) {
        result.add(one);
      } else {
        result.add(
            new FoundDriver(
                one.provider,
                one.preference,
                new Entry(one.entry.name(), one.entry.location(), doubled(places))));
      }
    }
    return result;
  }

  /** Sorts the drivers into the order of the search for a default device. */
  static List<FoundDriver> sorted(List<FoundDriver> found) {
    return found.stream()
        .sorted(
            Comparator.comparingInt((FoundDriver f) -> -f.preference)
                .thenComparing(f -> f.entry.name())
                .thenComparing(f -> f.entry.location()))
        .toList();
  }

  private static String location(Class<?> type) {
    CodeSource source = type.getProtectionDomain().getCodeSource();
    URL url = source == null ? null : source.getLocation();
    return url == null ? FoundDriver.UNKNOWN : place(url, "");
  }

  /** Returns the jar or folder in which {@code url} names {@code file}, as a path if it is one. */
  private static String place(URL url, String file) {
    String text = url.toString();
    text = text.substring(0, text.length() - (text.endsWith(file) ? file.length() : 0));
    text = text.replaceFirst("^jar:", "").replaceFirst("!/$", "");
    try {
      return text.startsWith("file:") ? Path.of(URI.create(text)).toString() : text;
    } catch (IllegalArgumentException e) {
      return text; // a URL that is not a path on this system
    }
  }

  /** Returns which class loaders were searched, for messages if there is no driver. */
  String foundNothing() {
    return "no jar or module with a driver was found by "
        + asked.stream().map(Asked::toString).collect(Collectors.joining(" or by "));
  }

  /**
   * Returns the jars of the class path that cannot be opened, if the class path was searched. Opens
   * all jars.
   */
  List<Entry> damagedJars() {
    return asked.stream().anyMatch(one -> seesClassPath(one.loader))
        ? damagedJars(System.getProperty("java.class.path", ""))
        : List.of();
  }

  private static boolean seesClassPath(ClassLoader loader) {
    ClassLoader system = ClassLoader.getSystemClassLoader();
    for (ClassLoader next = loader; next != null; next = next.getParent()) {
      if (next == system) {
        return true;
      }
    }
    return false;
  }

  /** Returns the jars of a class path that cannot be opened. A class loader silently skips them. */
  static List<Entry> damagedJars(String classPath) {
    List<Entry> damaged = new ArrayList<>();
    for (String part : classPath.split(Pattern.quote(File.pathSeparator), -1)) {
      File jar = new File(part);
      if (part.endsWith(".jar") && jar.isFile()) {
        try {
          new ZipFile(jar).close();
        } catch (IOException e) {
          damaged.add(
              new Entry(jar.getName(), part, "the jar cannot be read: " + HostFailures.reason(e)));
        }
      }
    }
    return damaged;
  }
}
