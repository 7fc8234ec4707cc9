// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import org.jhal.Device;
import org.jhal.DeviceUri;
import org.jhal.cts.CtsBackend;
import org.jhal.cts.support.Task;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * One run of the suite against one backend: its parameters, and the devices that tests share.
 *
 * <p>Used by one test at a time.
 */
public final class CtsSession implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(CtsSession.class.getName());

  /** The parameter with the key of the session of a run that {@link CtsRun} started. */
  static final String PARAMETER = "jhal.cts.session";

  static final String DEVICE_PROPERTY = "jhal.cts.device";
  static final String VERIFY_PROPERTY = "jhal.cts.verifyExpectedFailures";
  static final String SEED_PROPERTY = "jhal.cts.seed";

  private static final Map<String, CtsSession> STARTED = new ConcurrentHashMap<>();

  /** The roles of shared devices. */
  enum Role {
    UNDER_TEST,
    SECOND,
    OTHER
  }

  private final CtsBackend backend;
  private final String uri;
  private final boolean isAskedFor;
  private final boolean verifiesExpectedFailures;
  private final long seed;
  private final Map<Role, Optional<OpenedDevice>> shared = new EnumMap<>(Role.class);
  private BooleanSupplier isOver = () -> false;
  private boolean isAvailabilityKnown;
  private Optional<String> unavailable = Optional.empty();

  /**
   * A session.
   *
   * @param uri of the device under test, or null for the backend's own
   */
  CtsSession(
      CtsBackend backend, @Nullable String uri, boolean verifiesExpectedFailures, long seed) {
    this.backend = backend;
    this.uri = uri == null ? backend.uri() : uri;
    this.isAskedFor = uri != null;
    this.verifiesExpectedFailures = verifiesExpectedFailures;
    this.seed = seed;
  }

  /** The session of a run: the one that it was started with, else one from system properties. */
  static CtsSession of(ExtensionContext context) {
    Optional<String> started = context.getConfigurationParameter(PARAMETER);
    if (started.isPresent()) {
      return Objects.requireNonNull(STARTED.get(started.get()), "session");
    }
    return context
        .getRoot()
        .getStore(ExtensionContext.Namespace.create(CtsSession.class))
        .getOrComputeIfAbsent(CtsSession.class, key -> fromSystemProperties(), CtsSession.class);
  }

  private static CtsSession fromSystemProperties() {
    String uri = System.getProperty(DEVICE_PROPERTY);
    return new CtsSession(
        findBackend(uri),
        uri,
        Boolean.getBoolean(VERIFY_PROPERTY),
        Long.getLong(SEED_PROPERTY, newSeed()));
  }

  static long newSeed() {
    return ThreadLocalRandom.current().nextInt(1, Integer.MAX_VALUE);
  }

  /** The backend for {@code uri}; if that is null, the only backend that exists. */
  public static CtsBackend findBackend(@Nullable String uri) {
    List<CtsBackend> backends = new ArrayList<>();
    ServiceLoader.load(CtsBackend.class).forEach(backends::add);
    if (uri == null) {
      if (backends.isEmpty()) {
        throw new IllegalStateException(
            "no CtsBackend is registered: its name must be in META-INF/services/"
                + CtsBackend.class.getName()
                + " on the class path; or name a device with -D"
                + DEVICE_PROPERTY
                + "=URI");
      }
      if (backends.size() != 1) {
        throw new IllegalStateException(
            "name a device with -D"
                + DEVICE_PROPERTY
                + "=URI: there are "
                + backends.size()
                + " CtsBackend services, for "
                + backends.stream().map(CtsBackend::driver).toList());
      }
      return backends.get(0);
    }
    String driver = DeviceUri.parse(uri).driver();
    return backends.stream()
        .filter(backend -> backend.driver().equals(driver))
        .findFirst()
        .orElse(() -> driver);
  }

  /** Registers the session, and returns its key. */
  String start() {
    String key = Integer.toHexString(System.identityHashCode(this)) + "-" + seed;
    STARTED.put(key, this);
    return key;
  }

  /** Unregisters a session and closes it. */
  static void end(String key) {
    CtsSession session = STARTED.remove(key);
    if (session != null) {
      session.close();
    }
  }

  CtsBackend backend() {
    return backend;
  }

  String uri() {
    return uri;
  }

  long seed() {
    return seed;
  }

  /** Lets no further test start once {@code condition} holds. */
  void endWhen(BooleanSupplier condition) {
    isOver = condition;
  }

  /** Whether no further test may start. */
  boolean isOver() {
    return isOver.getAsBoolean();
  }

  boolean verifiesExpectedFailures() {
    return verifiesExpectedFailures;
  }

  /** Why nothing can run on this machine, if that is not a failure. */
  Optional<String> unavailable() {
    if (!isAvailabilityKnown) {
      isAvailabilityKnown = true;
      unavailable = isAskedFor ? Optional.empty() : backend.unavailable();
      unavailable.ifPresent(
          reason -> // a build prints how many tests are skipped, but not why
          LOG.log(Level.WARNING, "the suite does not run for " + uri + ": " + reason));
    }
    return unavailable;
  }

  /** A device that tests share. It is opened if it is not open, or if it was discarded. */
  Optional<OpenedDevice> shared(Role role) {
    Optional<OpenedDevice> device = shared.get(role);
    if (device == null) {
      device = open(role).map(opened -> new OpenedDevice(this, opened, role == Role.OTHER));
      shared.put(role, device);
    }
    return device;
  }

  private Optional<Device> open(Role role) {
    return switch (role) {
      case UNDER_TEST -> Optional.of(backend.open(uri));
      case SECOND -> backend.openSecond(uri);
      case OTHER -> backend.openOther();
    };
  }

  /** Opens a separate device, with further options, each {@code NAME=VALUE}. */
  OpenedDevice openFresh(String... options) {
    return new OpenedDevice(this, backend.open(withOptions(options)), false);
  }

  /** Opens a separate second device, with further options, each {@code NAME=VALUE}. */
  Optional<OpenedDevice> openFreshSecond(String... options) {
    return backend
        .openSecond(withOptions(options))
        .map(device -> new OpenedDevice(this, device, false));
  }

  private String withOptions(String... options) {
    DeviceUri base = DeviceUri.parse(uri);
    Map<String, String> all = new LinkedHashMap<>(base.options());
    for (String option : options) {
      int equals = option.indexOf('=');
      all.put(option.substring(0, equals), option.substring(equals + 1));
    }
    return new DeviceUri(base.driver(), base.selector(), all).toString();
  }

  /**
   * Discards a shared device that a test has broken. Another thread closes it, because that may
   * hang.
   */
  void discard(OpenedDevice device) {
    shared.values().removeIf(kept -> kept.isPresent() && kept.get() == device);
    Task.run("discard", device::close);
  }

  @Override
  public void close() {
    List<Optional<OpenedDevice>> devices = new ArrayList<>(shared.values());
    shared.clear();
    for (Optional<OpenedDevice> device : devices) {
      device.ifPresent(OpenedDevice::close);
    }
  }
}
