package org.jhal;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URL;
import java.nio.file.Path;
import java.security.CodeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.regex.Pattern;
import java.util.zip.ZipFile;
import org.jhal.spi.DriverProvider;
import org.jspecify.annotations.Nullable;

/**
 * The drivers on the class path and the module path. Finding them loads no native library (rule
 * D1); a driver that cannot be loaded is listed with the reason and disturbs no other.
 *
 * <p>Thread-safe.
 */
public final class DriverRegistry {
  /**
   * A driver that was found, or what is left of one.
   *
   * @param name the driver's name; of a broken provider, its class or what the service loader said;
   *     of a damaged jar, its file name
   * @param location the jar or folder that it came from, or {@code unknown}
   * @param problem why it cannot be used whatever the machine, or null: it threw while it was
   *     loaded, it was made for another API version, there are two of this name, or a jar of the
   *     class path is damaged, so that nobody knows whether there is a driver in it
   */
  public record Entry(String name, String location, @Nullable String problem) {}

  /**
   * What a driver says of itself on this machine.
   *
   * @param entry the driver
   * @param availability whether it can be used, or why not
   * @param devices its devices without any option, by index; empty if it cannot be used
   */
  public record Answer(Entry entry, Driver.Availability availability, List<DeviceInfo> devices) {
    /** Checks for null and copies the list. */
    public Answer {
      Objects.requireNonNull(entry, "entry");
      Objects.requireNonNull(availability, "availability");
      devices = List.copyOf(Objects.requireNonNull(devices, "devices"));
    }
  }

  /** How long a driver may take that is asked only to explain why another one is not there. */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final List<FoundDriver> found;

  private DriverRegistry(List<FoundDriver> found) {
    this.found = found;
  }

  /** Looks for drivers with the context class loader of this thread. */
  public static DriverRegistry load() {
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    return load(loader == null ? DriverRegistry.class.getClassLoader() : loader);
  }

  /** Looks for drivers with {@code loader}. */
  public static DriverRegistry load(ClassLoader loader) {
    Objects.requireNonNull(loader, "loader");
    List<FoundDriver> found = new ArrayList<>();
    Iterator<ServiceLoader.Provider<DriverProvider>> providers =
        ServiceLoader.load(DriverProvider.class, loader).stream().iterator();
    int failures = 0;
    while (failures < 1000) { // a loader that fails for ever must not hang us
      try {
        if (!providers.hasNext()) {
          break;
        }
        found.add(examine(providers.next(), loader));
      } catch (ServiceConfigurationError | LinkageError e) { // no class, or none that can be linked
        failures++;
        found.add(
            new FoundDriver(
                null,
                -1,
                new Entry("?", "unknown", "cannot be loaded: " + FoundDriver.oneLine(e))));
      }
    }
    if (seesClassPath(loader)) {
      for (Entry damaged : damagedJars(System.getProperty("java.class.path", ""))) {
        found.add(new FoundDriver(null, -1, damaged));
      }
    }
    return new DriverRegistry(sorted(withoutDoubles(found)));
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

  /** The jars of a class path that cannot be opened. A class loader passes over them in silence. */
  static List<Entry> damagedJars(String classPath) {
    List<Entry> damaged = new ArrayList<>();
    for (String part : classPath.split(Pattern.quote(File.pathSeparator), -1)) {
      File jar = new File(part);
      if (part.endsWith(".jar") && jar.isFile()) {
        try {
          new ZipFile(jar).close();
        } catch (IOException e) {
          damaged.add(new Entry(jar.getName(), part, "the jar cannot be read: " + e.getMessage()));
        }
      }
    }
    return damaged;
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

  /** What makes a provider that could be loaded unusable, or null. */
  private static @Nullable String problem(DriverProvider provider, ClassLoader loader) {
    if (provider.apiVersion() != DriverProvider.API_VERSION) {
      return "made for driver API version "
          + provider.apiVersion()
          + ", this JHAL has version "
          + DriverProvider.API_VERSION;
    }
    if (!DeviceUri.NAME.matcher(provider.name()).matches()) {
      return "its name " + DeviceUri.NAME_RULE;
    }
    // Of two jars with the same class, a class loader shows only the first.
    String file = provider.getClass().getName().replace('.', '/') + ".class";
    try {
      List<String> places =
          loader.resources(file).map(url -> place(url, file)).distinct().sorted().toList();
      return places.size() < 2 ? null : doubled(places);
    } catch (UncheckedIOException e) {
      return null; // nothing speaks against it
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

  private static List<FoundDriver> sorted(List<FoundDriver> found) {
    found.sort(
        Comparator.comparingInt((FoundDriver f) -> -f.preference)
            .thenComparing(f -> f.entry.name()));
    return List.copyOf(found);
  }

  private static String location(Class<?> type) {
    CodeSource source = type.getProtectionDomain().getCodeSource();
    URL url = source == null ? null : source.getLocation();
    return url == null ? "unknown" : place(url, "");
  }

  /** The jar or folder in which {@code url} names {@code file}, as people write it. */
  private static String place(URL url, String file) {
    String text = url.toString();
    text = text.substring(0, text.length() - (text.endsWith(file) ? file.length() : 0));
    text = text.replaceFirst("^jar:", "").replaceFirst("!/$", "");
    try {
      return text.startsWith("file:") ? Path.of(URI.create(text)).toString() : text;
    } catch (IllegalArgumentException e) {
      return text; // a URL that is no path of this system
    }
  }

  /**
   * Everything that was found, in the order in which a default device is looked for: by {@link
   * DriverProvider#preference()}, highest first, then by name. Initialises no driver.
   */
  public List<Entry> entries() {
    return found.stream().map(f -> f.entry).toList();
  }

  /**
   * Asks all drivers whether they can be used on this machine and for their devices, side by side:
   * each on a daemon thread of its own, so that it takes as long as the slowest. A driver that
   * throws is reported as unavailable, with what it threw, and harms no other.
   *
   * <p>A probe that hangs cannot be ended: when {@code patience} is over its driver is reported as
   * unavailable, its thread is left behind, and whoever asks later waits for that same thread. It
   * does not keep the JVM from ending.
   *
   * @param patience how long to wait for all of them together; zero or less only takes what is
   *     known at once. Initialising the runtime of a vendor can take many seconds.
   * @return one for each of {@link #entries()}, in that order
   * @throws InterruptedException if this thread is interrupted while it waits. The drivers are not:
   *     what they are doing they go on with.
   */
  public List<Answer> probeAll(Duration patience) throws InterruptedException {
    return FoundDriver.askAll(found, Objects.requireNonNull(patience, "patience"));
  }

  /**
   * The driver called {@code name}; it is not probed.
   *
   * @throws HalException NOT_FOUND if there is none, with those that there are and why each of them
   *     could not be used; FAILED_PRECONDITION if it has an {@link Entry#problem()}; UNAVAILABLE if
   *     it throws while it is made
   */
  public Driver driver(String name) {
    Objects.requireNonNull(name, "name");
    for (FoundDriver one : found) {
      if (one.entry.name().equals(name)) {
        if (one.entry.problem() != null) {
          throw new HalException(
              Status.FAILED_PRECONDITION,
              "driver '" + name + "' cannot be used: " + one.entry.problem());
        }
        return one.driver();
      }
    }
    throw new HalException(Status.NOT_FOUND, "no driver '" + name + "'; found: " + explain());
  }

  /**
   * Opens the device that {@code uri} names.
   *
   * @throws HalException as {@link DeviceUri#parse}, {@link #driver} and {@link Driver#open}
   */
  public Device openDevice(String uri) {
    DeviceUri parsed = DeviceUri.parse(uri);
    return driver(parsed.driver()).open(parsed);
  }

  /**
   * Opens the first device of the first driver that can be used; the order is that of {@link
   * #entries()}. Drivers are probed in this order, one after the other, and none behind the one
   * that is used: a program with a device has no use for the runtimes of other vendors, and a
   * runtime that is missing is missed at once.
   *
   * @throws HalException NOT_FOUND if no driver can be used, and why not, each
   */
  public Device openDefaultDevice() {
    StringBuilder reasons = new StringBuilder();
    for (FoundDriver one : found) {
      String reason = one.unusable();
      if (reason == null) {
        try {
          return one.driver().open(DeviceUri.parse(one.entry.name()));
        } catch (HalException e) {
          reason = e.status() + ": " + e.getMessage();
        } catch (RuntimeException | LinkageError e) {
          reason = FoundDriver.oneLine(e);
        }
      }
      reasons.append("; ").append(one.entry.name()).append(": ").append(reason);
    }
    throw new HalException(
        Status.NOT_FOUND,
        found.isEmpty() ? "no driver on the class path" : "no usable device" + reasons);
  }

  private String explain() {
    if (found.isEmpty()) {
      return "none at all on the class path";
    }
    StringBuilder text = new StringBuilder();
    try {
      for (Answer answer : probeAll(PATIENCE)) {
        Driver.Availability verdict = answer.availability();
        text.append(text.isEmpty() ? "" : ", ").append(answer.entry().name());
        if (!verdict.isAvailable()) {
          text.append(" (unavailable: ").append(verdict.detail()).append(')');
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return String.join(", ", entries().stream().map(Entry::name).toList())
          + " (interrupted before they told whether they can be used)";
    }
    return text.toString();
  }

  @Override
  public String toString() {
    return "drivers " + entries().stream().map(Entry::name).toList();
  }
}
