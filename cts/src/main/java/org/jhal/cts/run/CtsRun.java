// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jhal.Device;
import org.jhal.Hal;
import org.jhal.cts.CtsBackend;
import org.jhal.cts.run.plan.CtsCatalog;
import org.jhal.cts.run.plan.TestName;
import org.jhal.cts.run.report.CtsReport;
import org.jhal.cts.run.report.RunFacts;
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
  /** How long a run that is stopped at its deadline may take to clean up. */
  private static final Duration GRACE = Duration.ofSeconds(1);

  private final @Nullable CtsBackend backend;
  private final List<String> patterns = new ArrayList<>();
  private @Nullable String uri;
  private long seed = CtsSession.newSeed();
  private int repeat = 1;
  private boolean verifiesExpectedFailures;
  private boolean isFailFast;
  private @Nullable Duration timeout;
  private CountDownLatch clock = new CountDownLatch(0); // the timeout counts from its end
  private Consumer<CtsReport.Entry> listener = entry -> {};
  private @Nullable Class<?> onlyClass;

  /** A run of all tests against {@code backend}. */
  public CtsRun(CtsBackend backend) {
    this.backend = backend;
  }

  /** A run of all tests on the device of {@link Hal#openDevice()}, with that device's backend. */
  public CtsRun() {
    this.backend = null;
  }

  /** Runs on this device instead of the backend's own. */
  public CtsRun device(String deviceUri) {
    this.uri = deviceUri;
    return this;
  }

  /**
   * Runs only these tests: {@code Class} or {@code Class.method}, where {@code *} matches anything.
   */
  public CtsRun tests(String... tests) {
    patterns.addAll(List.of(tests));
    return this;
  }

  /** Runs the tests of this class instead of the suite's, for tests of the suite itself. */
  CtsRun only(Class<?> tests) {
    this.onlyClass = tests;
    return this;
  }

  /** Sets the seed of tests that draw random numbers. */
  public CtsRun seed(long newSeed) {
    this.seed = newSeed;
    return this;
  }

  /** Runs everything this many times. */
  public CtsRun repeat(int times) {
    this.repeat = times;
    return this;
  }

  /** Also runs the tests that are expected to fail, and fails if one passes. */
  public CtsRun verifyExpectedFailures() {
    this.verifiesExpectedFailures = true;
    return this;
  }

  /** Starts no further test after a failure. */
  public CtsRun failFast() {
    this.isFailFast = true;
    return this;
  }

  /**
   * Stops the run after {@code limit}, which is at least a millisecond. By default, a run has no
   * deadline, but each test has one.
   */
  public CtsRun timeout(Duration limit) {
    this.timeout = limit;
    return this;
  }

  /** Lets the time of {@link #timeout} begin when a latch opens, for tests of the suite itself. */
  CtsRun timeoutFrom(CountDownLatch latch) {
    this.clock = latch;
    return this;
  }

  /** Calls {@code newListener} with the result of each test. */
  public CtsRun listen(Consumer<CtsReport.Entry> newListener) {
    this.listener = newListener;
    return this;
  }

  /**
   * Runs the tests, on a separate thread. If they do not end in time, or if this thread is
   * interrupted, the report has the results so far. A thread that hangs is left running. If this
   * thread was interrupted, its interrupt status is set again.
   *
   * @throws org.jhal.HalException if the device cannot be opened
   */
  public CtsReport run() {
    RunRecord record = new RunRecord(repeat, isFailFast, listener);
    AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    Thread runner =
        new Thread(
            () -> {
              try {
                run(record);
              } catch (Throwable t) {
                thrown.set(t);
              }
            },
            "cts-run");
    runner.setDaemon(true);
    runner.setContextClassLoader(Thread.currentThread().getContextClassLoader());
    runner.start();
    try {
      clock.await();
      runner.join(timeout == null ? 0 : timeout.toMillis());
      if (timeout != null && runner.isAlive()) {
        record.expire(timeout);
        stop(runner);
        return record.report();
      }
    } catch (InterruptedException e) {
      record.interrupt();
      runner.interrupt();
      Thread.currentThread().interrupt();
      return record.report();
    }
    if (thrown.get() instanceof RuntimeException e) {
      throw e;
    }
    if (thrown.get() instanceof Error e) {
      throw e;
    }
    return record.report();
  }

  /** Lets a stopped run clean up: it ends its own processes and closes its devices. */
  private static void stop(Thread runner) throws InterruptedException {
    runner.interrupt();
    runner.join(GRACE.toMillis());
  }

  private void run(RunRecord record) {
    record.enter(RunStep.own("the opening of the device"));
    String asked = backend == null && uri == null ? defaultDevice() : uri;
    CtsBackend tested = backend == null ? CtsSession.findBackend(asked) : backend;
    record.addFact("device", asked == null ? tested.uri() : asked);
    FactCollector.addRun(record, asked(), repeat, isFailFast, verifiesExpectedFailures, seed);
    FactCollector.addDevice(record, tested, asked == null ? tested.uri() : asked);
    record.leave();
    for (int i = 0; i < repeat && !record.isOver(); i++) {
      CtsSession session = new CtsSession(tested, asked, verifiesExpectedFailures, seed + i);
      session.endWhen(record::isOver);
      String key = session.start();
      try {
        var request =
            (onlyClass == null ? CtsCatalog.request(patterns) : CtsCatalog.request(onlyClass))
                .configurationParameter(CtsSession.PARAMETER, key)
                .filters((PostDiscoveryFilter) CtsRun.this::include)
                .build();
        CtsCatalog.launcher().execute(request, new RunListener(record));
      } finally {
        record.enter(RunStep.own("the closing of the devices"));
        CtsSession.end(key);
        record.leave();
      }
    }
  }

  /** The tests that were requested, as the report states them. */
  private String asked() {
    List<String> asked = new ArrayList<>(patterns);
    if (onlyClass != null) {
      asked.add("the class " + onlyClass.getName());
    }
    return asked.isEmpty() ? RunFacts.ALL : String.join(", ", asked);
  }

  private FilterResult include(TestDescriptor test) {
    Optional<TestName> name = TestName.of(TestIdentifier.from(test));
    boolean isIncluded =
        name.isEmpty() || patterns.isEmpty() || patterns.stream().anyMatch(name.get()::matches);
    return FilterResult.includedIf(isIncluded);
  }

  /** The default device. */
  private static String defaultDevice() {
    try (Device device = Hal.openDevice()) {
      return Hal.configuredDevice().orElse(device.info().uri());
    }
  }
}
