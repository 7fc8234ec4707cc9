package org.jhal.cts.run;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jhal.Device;
import org.jhal.DeviceInfo;
import org.jhal.DriverRegistry;
import org.jhal.Hal;
import org.jhal.cts.CtsBackend;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestIdentifier;

/**
 * Runs the suite, or parts of it, against one backend:
 *
 * <pre>{@code
 * CtsReport report = new CtsRun(backend).tests("SemaphoreTest", "QueueTest.isolates*").run();
 * }</pre>
 *
 * <p>Used by one thread.
 */
public final class CtsRun {
  private final CtsBackend backend;
  private final List<String> patterns = new ArrayList<>();
  private @Nullable String uri;
  private long seed = CtsSession.newSeed();
  private int repeat = 1;
  private boolean verifiesExpectedFailures;
  private boolean isFailFast;
  private Consumer<CtsReport.Entry> listener = entry -> {};
  private @Nullable Class<?> onlyClass;

  /** A run of all tests against {@code backend}. */
  public CtsRun(CtsBackend backend) {
    this.backend = backend;
  }

  /** Runs against this device instead of the backend's own. */
  public CtsRun device(String deviceUri) {
    this.uri = deviceUri;
    return this;
  }

  /** Runs these tests only: {@code Class} or {@code Class.method}, where {@code *} is anything. */
  public CtsRun tests(String... tests) {
    patterns.addAll(List.of(tests));
    return this;
  }

  /** Runs the tests of this class instead of the suite's; for tests of the suite itself. */
  CtsRun only(Class<?> tests) {
    this.onlyClass = tests;
    return this;
  }

  /** What random tests start from. */
  public CtsRun seed(long newSeed) {
    this.seed = newSeed;
    return this;
  }

  /** Runs everything so many times. */
  public CtsRun repeat(int times) {
    this.repeat = times;
    return this;
  }

  /** Also runs the tests that are expected to fail, and fails if one passes. */
  public CtsRun verifyExpectedFailures() {
    this.verifiesExpectedFailures = true;
    return this;
  }

  /** Begins no further test after one has failed. */
  public CtsRun failFast() {
    this.isFailFast = true;
    return this;
  }

  /** Tells of each test when it has ended. */
  public CtsRun listen(Consumer<CtsReport.Entry> newListener) {
    this.listener = newListener;
    return this;
  }

  /**
   * Runs the tests.
   *
   * @throws org.jhal.HalException if the device cannot be opened
   */
  public CtsReport run() {
    RunRecord record = new RunRecord(repeat, isFailFast, listener);
    record.addFacts(facts());
    for (int i = 0; i < repeat && !record.isOver(); i++) {
      CtsSession session = new CtsSession(backend, uri, verifiesExpectedFailures, seed + i);
      session.endWhen(record::isOver);
      String key = session.start();
      try {
        var request =
            (onlyClass == null ? CtsCatalog.request() : CtsCatalog.request(onlyClass))
                .configurationParameter(CtsSession.PARAMETER, key)
                .filters((PostDiscoveryFilter) CtsRun.this::include)
                .build();
        CtsCatalog.launcher().execute(request, new RunListener(record));
      } finally {
        CtsSession.end(key);
      }
    }
    return record.report();
  }

  private FilterResult include(TestDescriptor test) {
    Optional<TestName> name = TestName.of(TestIdentifier.from(test));
    boolean isIncluded =
        name.isEmpty() || patterns.isEmpty() || patterns.stream().anyMatch(name.get()::matches);
    return FilterResult.includedIf(isIncluded);
  }

  private Map<String, String> facts() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("device", uri == null ? backend.uri() : uri);
    try (Device device = backend.open(uri == null ? backend.uri() : uri)) {
      DeviceInfo info = device.info();
      facts.put("driver", info.driver());
      addDriver(info.driver(), facts);
      facts.put("name", info.name());
      facts.put("uuid", info.uuid());
      if (info.pciAddress() != null) {
        facts.put("pci", info.pciAddress());
      }
      facts.put("memory", info.memoryBytes() + " bytes");
      facts.put("capabilities", device.capabilities().stream().sorted().toList().toString());
      facts.put("formats", device.executableFormats().stream().sorted().toList().toString());
      facts.put("queues", String.valueOf(device.queueCount()));
      new TreeMap<>(info.properties()).forEach((k, v) -> facts.put("device." + k, v));
      device
          .settings()
          .forEach(s -> facts.put("setting." + s.name(), s.value() + " (" + s.origin() + ")"));
    }
    String version = Hal.class.getPackage().getImplementationVersion();
    facts.put("jhal", version == null ? "unpackaged" : version);
    facts.put(
        "java", System.getProperty("java.vm.version") + ", " + System.getProperty("java.vm.name"));
    facts.put(
        "system",
        System.getProperty("os.name")
            + " "
            + System.getProperty("os.version")
            + " "
            + System.getProperty("os.arch"));
    facts.put("seed", String.valueOf(seed));
    facts.put("time", Instant.now().toString());
    return facts;
  }

  /** Where the driver is from, and what it says of the version that it found. */
  private static void addDriver(String name, Map<String, String> facts) {
    DriverRegistry registry = DriverRegistry.load();
    for (DriverRegistry.Entry entry : registry.entries()) {
      if (entry.problem() == null && entry.name().equals(name)) {
        facts.put("driver.version", registry.driver(name).probe().detail());
        facts.put("driver.location", entry.location());
      }
    }
  }
}
