// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.DriverJars.Source;
import org.jhal.DriverRegistry.Answer;
import org.jhal.spi.DriverProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Rules D1 and D2: drivers that are slow, fail or hang while all of them are probed. */
@Timeout(60)
class DriverProbeTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  /** The system property through which a fake driver and its test share an object. */
  private static final String SHARED = "jhal.test.shared";

  /** Statements that wait until all other probes have reached them as well. */
  private static final String MEET =
      "try { ((java.util.concurrent.CyclicBarrier) System.getProperties().get(\""
          + SHARED
          + "\")).await(20, java.util.concurrent.TimeUnit.SECONDS); }"
          + " catch (Exception e) { throw new IllegalStateException(\"alone\", e); } ";

  @TempDir Path folder;

  private @Nullable URLClassLoader loader;

  /** The objects that a hanging probe ({@link #HANG}) shares with its test. */
  private final CountDownLatch hanging = new CountDownLatch(1);

  private final CountDownLatch release = new CountDownLatch(1);
  private final AtomicInteger probes = new AtomicInteger();

  /** Statements of a probe that reports its call and its thread, and waits to be released. */
  private static final String HANG =
      "List<?> shared = (List<?>) System.getProperties().get(\""
          + SHARED
          + "\"); Thread self = Thread.currentThread();"
          + " System.setProperty(\"jhal.test.thread\", self.getName() + self.isDaemon());"
          + " ((java.util.concurrent.atomic.AtomicInteger) shared.get(2)).incrementAndGet();"
          + " ((java.util.concurrent.CountDownLatch) shared.get(0)).countDown();"
          + " try { ((java.util.concurrent.CountDownLatch) shared.get(1)).await(); }"
          + " catch (InterruptedException e) { throw new AssertionError(e); } "
          + " return Availability.available(\"at last\");";

  @AfterEach
  void cleanUp() throws IOException {
    release.countDown();
    Thread.interrupted();
    DriverJars.forgetDrivers();
    if (loader != null) {
      loader.close();
    }
  }

  private DriverRegistry registry(Source... sources) {
    loader = DriverJars.loader(DriverJars.jar(folder.resolve("all.jar"), List.of(sources)));
    return DriverRegistry.load(loader);
  }

  private static Source driver(String name) {
    return new Source("drivers." + name, name);
  }

  private DriverRegistry withOneThatHangs(Source... others) {
    System.getProperties().put(SHARED, List.of(hanging, release, probes));
    Source[] all = Arrays.copyOf(others, others.length + 1);
    all[others.length] = driver("stuck").probing(HANG);
    return registry(all);
  }

  private void awaitHanging() throws InterruptedException {
    assertTrue(hanging.await(20, TimeUnit.SECONDS), "waited 20 s for the probe that hangs");
  }

  private static String text(Answer answer) {
    Driver.Availability verdict = answer.availability();
    return answer.entry().name() + (verdict.isAvailable() ? "+ " : "- ") + verdict.detail();
  }

  private static List<String> texts(List<Answer> answers) {
    return answers.stream().map(DriverProbeTest::text).toList();
  }

  /** If they were probed one after the other, the first would wait for the second in vain. */
  @Test
  void probesAllDriversInParallelAndKeepsTheirOrder() throws Exception {
    System.getProperties().put(SHARED, new CyclicBarrier(3));
    String probing = MEET + "return Availability.available(\"met\");";
    String listing =
        MEET
            + "return List.of(DeviceInfo.builder(NAME, 0).name(\"Fake\").uuid(\"uuid\").memoryBytes(1)"
            + ".maxWorkgroupCount(Workgroups.of(1)).maxWorkgroupItems(1).build());";
    DriverRegistry registry =
        registry(
            driver("zeta").probing(probing).listing(listing),
            driver("alpha").probing(probing).listing(listing),
            driver("host").preference(0).probing(probing).listing(listing),
            driver("old").api("99.0"));

    for (int round = 0; round < 3; round++) {
      List<Answer> answers = registry.probeAll(LONG);
      assertEquals(
          List.of(
              "alpha+ met",
              "old- made for API version 99.0, this JHAL has version " + DriverProvider.API_VERSION,
              "zeta+ met",
              "host+ met"),
          texts(answers));
      assertEquals(
          List.of("alpha://0", "zeta://0", "host://0"),
          answers.stream().flatMap(a -> a.devices().stream()).map(DeviceInfo::uri).toList());
    }
  }

  @Test
  void reportsWhateverAProbeThrowsAndProbesTheOthers() throws Exception {
    String odd =
        "throw new Error() { public String toString() { throw new IllegalStateException(); } };";
    String ring =
        "Throwable a = new Exception(\"a\"), b = new Exception(\"b\", a); a.initCause(b);"
            + " throw new IllegalStateException(a);";
    DriverRegistry registry =
        registry(
            driver("a").probing("throw new LinkageError(\"half a library\");"),
            driver("b").probing("throw new HalException(Status.INTERNAL, \"no luck\");"),
            driver("c").probing("return null;"),
            driver("d").probing("throw new OutOfMemoryError(\"of this device\");"),
            driver("e").probing(odd),
            driver("f").probing(ring),
            driver("g").creation("throw new AssertionError(\"not made\");"),
            driver("h").listing("throw new StackOverflowError();"),
            driver("i").listing("return null;"),
            driver("j"));

    List<String> texts = texts(registry.probeAll(LONG));

    assertEquals("a- java.lang.LinkageError: half a library", texts.get(0));
    assertEquals("b- no luck", texts.get(1));
    assertEquals("c- java.lang.NullPointerException: verdict of probe()", texts.get(2));
    assertEquals("d- java.lang.OutOfMemoryError: of this device", texts.get(3));
    assertEquals("e- drivers.e.Provider$TheDriver$1", texts.get(4));
    assertTrue(texts.get(5).contains("caused by java.lang.Exception: b"), texts.get(5));
    assertTrue(texts.get(6).startsWith("g- driver 'g' of "), texts.get(6));
    assertTrue(texts.get(6).endsWith("java.lang.AssertionError: not made"), texts.get(6));
    assertEquals("h- java.lang.StackOverflowError", texts.get(7));
    assertEquals("i- java.lang.NullPointerException: devices", texts.get(8));
    assertEquals("j+ fine", texts.get(9));
    assertEquals("device j", registry.openDevice("j").toString());
  }

  @Test
  void reportsAHangingProbeAndDoesNotRepeatIt() throws Exception {
    DriverRegistry registry = withOneThatHangs(driver("good"));

    List<String> texts = texts(registry.probeAll(Duration.ZERO));
    awaitHanging();

    assertEquals("stuck- it has not answered within 0 s", texts.get(1));
    assertEquals(
        "stuck- it has not answered within 0.001 s",
        text(registry.probeAll(Duration.ofMillis(1)).get(1)));
    assertEquals("jhal-probe-stucktrue", System.getProperty("jhal.test.thread"));
    assertEquals("device good", registry.openDevice("good").toString());
    assertEquals("device good", registry.openDefaultDevice().toString());
    assertEquals(1, probes.get());

    release.countDown();
    assertEquals(List.of("good+ fine", "stuck+ at last"), texts(registry.probeAll(LONG)));
  }

  @Test
  void anInterruptEndsTheWaitForProbes() throws Exception {
    DriverRegistry registry = withOneThatHangs();
    FutureTask<List<Answer>> asking =
        new FutureTask<>(() -> registry.probeAll(Duration.ofSeconds(Long.MAX_VALUE)));
    Thread thread = new Thread(asking, "asking");
    thread.start();
    awaitHanging();

    thread.interrupt();

    ExecutionException thrown =
        assertThrows(ExecutionException.class, () -> asking.get(20, TimeUnit.SECONDS));
    assertInstanceOf(InterruptedException.class, thrown.getCause());
    release.countDown();
    assertEquals(List.of("stuck+ at last"), texts(registry.probeAll(LONG)));
  }

  @Test
  void anInterruptedThreadDoesNotWait() {
    DriverRegistry registry = withOneThatHangs();

    Thread.currentThread().interrupt();
    assertThrows(InterruptedException.class, () -> registry.probeAll(LONG));
    assertFalse(Thread.currentThread().isInterrupted());

    Thread.currentThread().interrupt();
    HalException miss = assertThrows(HalException.class, () -> registry.driver("none"));
    assertTrue(Thread.interrupted(), "the interrupt was lost");
    assertEquals(
        "no driver 'none'; found: stuck (interrupted before all drivers were probed)",
        miss.getMessage());
  }

  @Test
  void createsNoDriverAfterTheDefaultOne() {
    DriverRegistry registry =
        registry(driver("first").unavailable("no device"), driver("second"), driver("third"));

    assertEquals("device second", registry.openDefaultDevice().toString());
    assertNull(System.getProperty("jhal.test.third"), "third was made");
  }

  @Test
  void probesWithTheContextClassLoaderOfTheCaller() throws Exception {
    DriverRegistry registry =
        registry(
            driver("one")
                .probing(
                    "return Availability.available(String.valueOf("
                        + "Thread.currentThread().getContextClassLoader()));"));
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    Thread.currentThread().setContextClassLoader(loader);
    try {
      assertEquals(List.of("one+ " + loader), texts(registry.probeAll(LONG)));
    } finally {
      Thread.currentThread().setContextClassLoader(before);
    }
  }
}
