// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jhal.spi.DriverProvider;
import org.jhal.spi.HostFailures;
import org.jhal.spi.Suggestion;
import org.jspecify.annotations.Nullable;

/**
 * The drivers on the class path and the module path. Finding them loads no native library (rule
 * D1). A driver that cannot be loaded is listed with the reason, and affects no other driver.
 *
 * <p>Thread-safe.
 */
public final class DriverRegistry {
  /**
   * A driver that was found, even if it is broken.
   *
   * @param name the driver's name; for a provider that cannot be loaded, its class name or {@code
   *     ?}; for a damaged jar, its file name
   * @param location the jar or folder that it came from, or {@code unknown}
   * @param problem why the driver cannot be used on any machine, or null if there is no such
   *     reason: an exception while it was loaded, a mismatch with the version of the API or the
   *     SPI, an invalid or duplicate name, or a damaged jar on the class path, which may contain a
   *     driver
   */
  public record Entry(String name, String location, @Nullable String problem) {}

  /**
   * The result of probing a driver on this machine.
   *
   * @param entry the driver
   * @param availability whether the driver can be used, or why not
   * @param devices its devices without any options, by index; empty if it cannot be used
   */
  public record Answer(Entry entry, Driver.Availability availability, List<DeviceInfo> devices) {
    /** Rejects null, and copies the list. */
    public Answer {
      Objects.requireNonNull(entry, "entry");
      Objects.requireNonNull(availability, "availability");
      devices = List.copyOf(Objects.requireNonNull(devices, "devices"));
    }
  }

  /**
   * Devices of this machine that a scheduler may assign to processes.
   *
   * @param uris URIs that open the devices in any process on this machine; see {@link
   *     DeviceInfo#stableUri}
   * @param reasons one line for each driver that might have more devices but cannot be used: its
   *     name and the reason
   */
  public record Addresses(List<DeviceUri> uris, List<String> reasons) {
    /** Rejects null, and copies the lists. */
    public Addresses {
      uris = List.copyOf(Objects.requireNonNull(uris, "uris"));
      reasons = List.copyOf(Objects.requireNonNull(reasons, "reasons"));
    }
  }

  private static final System.Logger LOG = System.getLogger(DriverRegistry.class.getName());

  /** How long probing may take when drivers are only listed in an error message. */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /**
   * The part after the driver's name in the name that messages use for a device, or for a part of
   * one. The dash before the index is optional, to accept a misspelt name.
   */
  private static final Pattern AFTER_DRIVER = Pattern.compile("-?([0-9]+)(?:-[a-z].*)?");

  private final DriverSearch search;
  private final List<FoundDriver> found;
  private volatile @Nullable List<FoundDriver> all; // created on first use

  private DriverRegistry(DriverSearch search, List<FoundDriver> found) {
    this.search = search;
    this.found = found;
  }

  /**
   * Searches for drivers with the context class loader of this thread and with the class loader of
   * JHAL itself. A driver that both find is listed once.
   */
  public static DriverRegistry load() {
    DriverSearch search = DriverSearch.ofThisThread();
    return new DriverRegistry(search, search.run(false));
  }

  /** Searches for drivers with {@code loader} alone. */
  public static DriverRegistry load(ClassLoader loader) {
    DriverSearch search = DriverSearch.of(Objects.requireNonNull(loader, "loader"));
    return new DriverRegistry(search, search.run(false));
  }

  /**
   * Searches like {@link #load()}, but may reuse an earlier result of the class loader of JHAL
   * itself. For callers that call {@link #load()} if a driver is missing.
   */
  static DriverRegistry known() {
    DriverSearch search = DriverSearch.ofThisThread();
    return new DriverRegistry(search, search.run(true));
  }

  /** Returns whether there is a driver called {@code name}, usable or not. */
  boolean has(String name) {
    return found.stream().anyMatch(one -> one.entry.name().equals(name));
  }

  /** Returns whether there is no driver at all. */
  boolean isEmpty() {
    return found.isEmpty();
  }

  /**
   * Returns everything that was found, in the order of the search for a default device: by {@link
   * DriverProvider#preference()}, highest first, then by name. Initializes no driver. Opens all
   * jars of the class path, to find damaged ones.
   */
  public List<Entry> entries() {
    return all().stream().map(f -> f.entry).toList();
  }

  /**
   * Returns the drivers, and the damaged jars that may contain one. Opens all jars of the class
   * path.
   */
  private List<FoundDriver> all() {
    List<FoundDriver> known = all;
    if (known == null) {
      List<FoundDriver> both = new ArrayList<>(found);
      search.damagedJars().forEach(damaged -> both.add(new FoundDriver(null, -1, damaged)));
      known = DriverSearch.sorted(both);
      all = known;
    }
    return known;
  }

  /**
   * Probes all drivers in parallel: whether they can be used on this machine, and which devices
   * they have. Each driver runs on its own daemon thread, so this takes as long as the slowest
   * driver. A driver that throws is reported as unavailable, with the exception, and does not
   * affect others.
   *
   * <p>A probe that hangs cannot be stopped. When {@code patience} has passed, its driver is
   * reported as unavailable, and its thread continues; later calls wait for the same thread. It
   * does not keep the JVM from exiting.
   *
   * @param patience how long to wait for all drivers together; if zero or less, only results that
   *     are available immediately count. Initializing a vendor's runtime can take many seconds.
   * @return one result for each of {@link #entries()}, in that order
   * @throws InterruptedException if this thread is interrupted while it waits; the probes are not
   *     interrupted
   */
  public List<Answer> probeAll(Duration patience) throws InterruptedException {
    return FoundDriver.askAll(all(), Objects.requireNonNull(patience, "patience"));
  }

  /**
   * Returns the devices that a scheduler may assign to processes.
   *
   * @param drivers URIs without a device, separated by commas, such as {@code cuda} or {@code
   *     mock://?devices=2}. They select the devices of these drivers, whose URIs get the options.
   *     If it is blank, all drivers are selected that can be used and do not compute on the host,
   *     as in {@link #openAccelerator()}; a device that several of them have, with one uuid, is
   *     taken once, from the first.
   * @param patience as in {@link #probeAll}; applies only if {@code drivers} is blank
   * @throws HalException INVALID_ARGUMENT if a URI is malformed or names a device; as {@link
   *     #driver} and {@link Driver#devices} for the drivers in {@code drivers}
   * @throws InterruptedException if this thread is interrupted while it waits
   */
  public Addresses addresses(String drivers, Duration patience) throws InterruptedException {
    Objects.requireNonNull(drivers, "drivers");
    Objects.requireNonNull(patience, "patience");
    List<DeviceUri> uris = new ArrayList<>();
    List<String> reasons = new ArrayList<>();
    Set<String> known = new HashSet<>(); // uuids
    if (drivers.isBlank()) {
      List<FoundDriver> some =
          all().stream().filter(one -> one.preference > 0 || one.entry.problem() != null).toList();
      for (Answer answer : FoundDriver.askAll(some, patience)) {
        List<DeviceInfo> devices =
            answer.devices().stream().filter(info -> !info.computesOnHost()).toList();
        for (DeviceInfo info : devices) {
          if (info.uuid().isEmpty() || known.add(info.uuid().toLowerCase(Locale.ROOT))) {
            uris.add(info.stableUri(Map.of()));
          }
        }
        if (devices.isEmpty()) {
          String detail = answer.availability().detail();
          String lack =
              answer.devices().isEmpty() ? "no device, " : "its devices compute on the host, ";
          String reason = answer.availability().isAvailable() ? lack + detail : detail;
          reasons.add(answer.entry().name() + ": " + reason);
        }
      }
    } else {
      for (String one : drivers.split(",", -1)) {
        DeviceUri uri = DeviceUri.parse(one.strip());
        if (!uri.selector().isEmpty()) {
          throw new HalException(
              Status.INVALID_ARGUMENT,
              "'" + uri + "' names a device, where all devices of a driver are taken");
        }
        driver(uri.driver()).devices(uri).forEach(info -> uris.add(info.stableUri(uri.options())));
      }
    }
    return new Addresses(uris, reasons);
  }

  /**
   * Returns the driver called {@code name}, without probing it.
   *
   * @throws HalException NOT_FOUND if there is none: with a list of those that exist and why any of
   *     them cannot be used, or, if {@code name} is the name that messages use for a device, such
   *     as {@code NAME-0}, with the device's URI; FAILED_PRECONDITION if the driver has an {@link
   *     Entry#problem()}; UNAVAILABLE if creating it fails
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
    String uri = uriOfDevice(name);
    throw new HalException(
        Status.NOT_FOUND,
        uri == null
            ? "no driver '" + name + "'" + suggestion(name) + "; found: " + explain()
            : "'" + name + "' is the name of a device in messages, not its URI; its URI is " + uri);
  }

  private String suggestion(String name) {
    return Suggestion.of(name, found.stream().map(one -> one.entry.name()).toList());
  }

  /**
   * Returns the URI of the device for which messages use this name: DRIVER-INDEX, or
   * DRIVER-INDEX-PART for a part of it such as a queue. Returns null if there is no such driver.
   */
  private @Nullable String uriOfDevice(String name) {
    for (FoundDriver one : found) {
      String driver = one.entry.name();
      if (name.startsWith(driver)) {
        Matcher rest = AFTER_DRIVER.matcher(name.substring(driver.length()));
        if (rest.matches()) {
          return driver + "://" + rest.group(1);
        }
      }
    }
    return null;
  }

  /**
   * Opens the device that {@code uri} names. The caller closes it.
   *
   * @throws HalException as {@link DeviceUri#parse}, {@link #driver} and {@link Driver#open};
   *     RESOURCE_EXHAUSTED if there is no memory for it, or no thread can be started
   */
  public Device openDevice(String uri) {
    DeviceUri parsed = DeviceUri.parse(uri);
    return open(driver(parsed.driver()), parsed);
  }

  /** Opens a device. What a lack of memory or threads throws becomes RESOURCE_EXHAUSTED. */
  private static Device open(Driver driver, DeviceUri uri) {
    try {
      return driver.open(uri);
    } catch (OutOfMemoryError e) {
      throw HostFailures.of(Status.RESOURCE_EXHAUSTED, uri + " cannot be opened", e);
    }
  }

  /**
   * Opens the first device of the first driver that can be used, in the order of {@link
   * #entries()}, but a device that {@linkplain DeviceInfo#computesOnHost computes on the host} as
   * if the {@link DriverProvider#preference()} of its driver were 0 at most. The caller closes it.
   * Drivers are probed in this order, one after the other, and none after the first one that works,
   * so that the runtimes of other vendors are not initialized. The choice, and why the drivers
   * before it were not chosen, is logged at INFO.
   *
   * @throws HalException NOT_FOUND if no driver can be used, with the reason for each
   */
  public Device openDefaultDevice() {
    return openFirst(one -> null);
  }

  /**
   * Returns the device that {@link #openDefaultDevice()} tries first, among those that the drivers
   * have reported; empty if there is none.
   *
   * @param answers from {@link #probeAll}
   */
  public Optional<DeviceInfo> defaultAmong(List<Answer> answers) {
    Objects.requireNonNull(answers, "answers");
    Map<Turn, DeviceInfo> choices = new TreeMap<>();
    for (FoundDriver one : found) {
      for (Answer answer : answers) {
        if (answer.entry().equals(one.entry) && !answer.devices().isEmpty()) {
          DeviceInfo first = firstOf(one.preference, answer.devices());
          choices.put(
              new Turn(one, first == null ? 0 : one.preference),
              first == null ? answer.devices().get(0) : first);
        }
      }
    }
    return choices.values().stream().findFirst();
  }

  /**
   * Opens a device like {@link #openDefaultDevice()}, but skips devices that {@linkplain
   * DeviceInfo#computesOnHost compute on the host}, and drivers all of whose devices do: those
   * whose {@link DriverProvider#preference()} is 0 or less.
   *
   * @throws HalException NOT_FOUND if no such driver can be used, with the reason for each
   */
  public Device openAccelerator() {
    return openFirst(
        turn ->
            turn.preference > 0 ? null : turn.who() + " on the host, and an accelerator is wanted");
  }

  /**
   * Opens a device like {@link #openDefaultDevice()}, but skips the drivers with these names.
   *
   * @throws HalException NOT_FOUND also if there is no driver of a given name, because a misspelt
   *     name would exclude nothing
   */
  Device openDefaultDeviceExcept(Set<String> names) {
    for (String name : names) {
      if (!has(name)) {
        throw new HalException(
            Status.NOT_FOUND,
            "no driver '" + name + "' to exclude" + suggestion(name) + "; found: " + explain());
      }
    }
    return openFirst(turn -> names.contains(turn.driver.entry.name()) ? "it is not wanted" : null);
  }

  /**
   * The turn of a driver in the search for a device.
   *
   * @param preference the driver's, or 0 if the turn is that of its devices that compute on the
   *     host
   */
  private record Turn(FoundDriver driver, int preference) implements Comparable<Turn> {
    boolean isForHost() {
      return preference < driver.preference;
    }

    String who() {
      return isForHost() ? "its devices compute" : "it computes";
    }

    @Override
    public int compareTo(Turn other) {
      return Comparator.comparingInt((Turn turn) -> -turn.preference)
          .thenComparing(turn -> turn.driver.entry.name())
          .thenComparing(turn -> turn.driver.entry.location())
          .compare(this, other);
    }
  }

  /**
   * Opens the first device that can be opened.
   *
   * @param obstacle returns why a driver that can be loaded is skipped without being probed, or
   *     null
   */
  private Device openFirst(Function<Turn, @Nullable String> obstacle) {
    StringBuilder reasons = new StringBuilder();
    PriorityQueue<Turn> turns = new PriorityQueue<>();
    found.forEach(one -> turns.add(new Turn(one, one.preference)));
    for (Turn turn = turns.poll(); turn != null; turn = turns.poll()) {
      FoundDriver one = turn.driver;
      String reason = one.entry.problem() == null ? obstacle.apply(turn) : null;
      if (reason == null) {
        reason = one.unusable();
      }
      if (reason == null) {
        try {
          DeviceUri uri = firstOf(turn);
          if (uri == null) {
            turns.add(new Turn(one, 0));
            continue;
          }
          Device opened = open(one.driver(), uri);
          LOG.log(
              Level.INFO,
              "the default device is "
                  + opened
                  + (reasons.isEmpty() ? "" : "; not taken" + reasons.replace(0, 1, ":")));
          return opened;
        } catch (HalException e) {
          reason = e.status() + ": " + e.getMessage();
        } catch (RuntimeException | LinkageError e) {
          reason = FoundDriver.oneLine(e);
        }
      }
      reasons.append("; ").append(one.entry.name()).append(": ").append(reason);
    }
    for (Entry damaged : search.damagedJars()) {
      reasons.append("; ").append(damaged.name()).append(": ").append(damaged.problem());
    }
    throw new HalException(
        Status.NOT_FOUND,
        reasons.isEmpty() ? "no driver: " + search.foundNothing() : "no usable device" + reasons);
  }

  /** Returns the device to open in a turn, or null if all devices compute on the host instead. */
  private static @Nullable DeviceUri firstOf(Turn turn) {
    String name = turn.driver.entry.name();
    DeviceUri first = DeviceUri.parse(name);
    if (turn.preference <= 0) {
      return first;
    }
    List<DeviceInfo> devices = turn.driver.driver().devices(first);
    if (devices.isEmpty()) {
      return first;
    }
    DeviceInfo info = firstOf(turn.preference, devices);
    if (info == null) {
      return null;
    }
    return info.index() == 0 ? first : DeviceUri.parse(info.uri());
  }

  /**
   * Returns the first device that has the preference of its driver, or null if all compute on the
   * host instead.
   */
  private static @Nullable DeviceInfo firstOf(int preference, List<DeviceInfo> devices) {
    for (DeviceInfo info : devices) {
      if (preference <= 0 || !info.computesOnHost()) {
        return info;
      }
    }
    return null;
  }

  private String explain() {
    if (all().isEmpty()) {
      return "none at all: " + search.foundNothing();
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
          + " (interrupted before all drivers were probed)";
    }
    return text.toString();
  }

  @Override
  public String toString() {
    return "drivers " + found.stream().map(f -> f.entry.name()).toList();
  }
}
