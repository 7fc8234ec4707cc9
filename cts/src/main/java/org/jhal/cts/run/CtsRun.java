package org.jhal.cts.run;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
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
import org.jhal.cts.support.Cts;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

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
    List<CtsReport.Entry> entries = new ArrayList<>();
    Map<String, String> facts = facts();
    for (int i = 0; i < repeat; i++) {
      CtsSession session = new CtsSession(backend, uri, verifiesExpectedFailures, seed + i);
      String key = session.start();
      try {
        var request =
            (onlyClass == null ? CtsCatalog.request() : CtsCatalog.request(onlyClass))
                .configurationParameter(CtsSession.PARAMETER, key)
                .filters((PostDiscoveryFilter) CtsRun.this::include)
                .build();
        CtsCatalog.launcher().execute(request, new Listener(entries));
      } finally {
        CtsSession.end(key);
      }
    }
    return new CtsReport(facts, entries);
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

  /** Turns what the launcher tells into entries. A container that fails is an entry of its own. */
  private final class Listener implements TestExecutionListener {
    private final List<CtsReport.Entry> entries;
    private final Map<String, Long> started = new HashMap<>();
    private @Nullable TestPlan plan;

    Listener(List<CtsReport.Entry> entries) {
      this.entries = entries;
    }

    @Override
    public void testPlanExecutionStarted(TestPlan testPlan) {
      plan = testPlan;
    }

    @Override
    public void executionStarted(TestIdentifier test) {
      started.put(test.getUniqueId(), System.nanoTime());
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
      if (TestName.of(test).isPresent()) {
        add(test, outcome(reason), reason);
      } else if (plan != null) {
        plan.getChildren(test).forEach(child -> executionSkipped(child, reason));
      }
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      Throwable thrown = result.getThrowable().orElse(null);
      if (thrown == null) {
        if (test.isTest()) {
          add(test, CtsReport.Outcome.PASSED, "");
        }
      } else if (result.getStatus() == TestExecutionResult.Status.ABORTED) {
        String reason = String.valueOf(thrown.getMessage());
        add(test, outcome(reason), reason);
      } else {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text));
        add(test, CtsReport.Outcome.FAILED, text.toString());
      }
    }

    /** A test that is skipped without a reason that the suite gives has failed. */
    private CtsReport.Outcome outcome(String reason) {
      if (reason.startsWith(Cts.UNSUPPORTED)) {
        return CtsReport.Outcome.UNSUPPORTED;
      }
      return reason.startsWith(CtsExtension.EXPECTED_FAILURE)
          ? CtsReport.Outcome.EXPECTED_FAILURE
          : CtsReport.Outcome.FAILED;
    }

    private void add(TestIdentifier test, CtsReport.Outcome outcome, String detail) {
      String name = TestName.of(test).map(TestName::toString).orElse(test.getDisplayName() + ".*");
      String display = name.substring(name.indexOf('.') + 1);
      if (test.getUniqueId().contains("invocation:")) {
        display += " " + test.getDisplayName();
      }
      Long start = started.get(test.getUniqueId());
      double seconds = start == null ? 0 : (System.nanoTime() - start) / 1e9;
      CtsReport.Entry entry =
          new CtsReport.Entry(
              name,
              display,
              CtsCatalog.rules(test),
              outcome,
              detail.replaceFirst(
                  "^(" + Cts.UNSUPPORTED + "|" + CtsExtension.EXPECTED_FAILURE + ")", ""),
              seconds);
      entries.add(entry);
      listener.accept(entry);
    }
  }
}
