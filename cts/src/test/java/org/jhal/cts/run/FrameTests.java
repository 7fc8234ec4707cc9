// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jhal.Capability;
import org.jhal.Device;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.report.CtsReport;
import org.jhal.cts.run.report.CtsReport.Outcome;
import org.jhal.cts.support.Cts;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** The frame around tests: the errors that it finds, and the tests that it passes. */
class FrameTests {
  private static CtsReport.Entry run(FakeBackend backend, Class<?> tests, String method) {
    CtsReport report =
        new CtsRun(backend).only(tests).tests("*." + method).device("fake").seed(5).run();
    assertEquals(1, report.entries().size(), () -> report.entries().toString());
    return report.entries().get(0);
  }

  private static CtsReport.Entry run(Class<?> tests, String method) {
    return run(new FakeBackend(), tests, method);
  }

  private static void assertFails(String method, String... parts) {
    assertFails(Misbehaving.class, method, parts);
  }

  private static void assertFails(Class<?> tests, String method, String... parts) {
    CtsReport.Entry entry = run(tests, method);
    assertEquals(Outcome.FAILED, entry.outcome(), entry::toString);
    for (String part : parts) {
      assertTrue(entry.detail().contains(part), () -> part + " is missing in " + entry.detail());
    }
    assertTrue(
        entry.detail().contains("to repeat: ./hal cts --device 'fake' --tests "), entry::detail);
  }

  /** Tests with one error each. */
  @CtsSuite
  static class Misbehaving {
    private static FakeDevice device(Cts cts) {
      return (FakeDevice) cts.device();
    }

    @Test
    void leavesAResource(Cts cts) {
      device(cts).live++;
    }

    @Test
    void leavesMemory(Cts cts) {
      device(cts).bytes += 16;
    }

    @Test
    void leavesAnOperation(Cts cts) {
      device(cts).open++;
    }

    @Test
    void warns(Cts cts) {
      System.getLogger("org.jhal.some.Thing").log(System.Logger.Level.WARNING, "it smells");
      cts.device();
    }

    @Test
    void killsAThread() throws InterruptedException {
      Thread thread =
          new Thread(
              () -> {
                throw new IllegalStateException("an uncaught exception");
              },
              "victim");
      thread.start();
      thread.join();
    }

    @Test
    void closesASharedDevice(Cts cts) {
      cts.device().close();
    }

    @Test
    void failsToClose(Cts cts) {
      cts.closing(
          () -> {
            throw new IllegalStateException("will not close");
          });
    }

    @Test
    @Rule({"S4", "Q9"})
    void breaksRules() {
      throw new AssertionError("as bad as it gets");
    }

    @Test
    void failsWithChance(Cts cts) {
      throw new AssertionError("drew " + cts.random().nextInt());
    }

    @Test
    void aborts() {
      Assumptions.abort("for no reason that the suite gives");
    }
  }

  /** Its deadline is short, but even a slow machine has begun the test by then. */
  @CtsSuite(deadlineSeconds = 4)
  static class Hanging {
    @Test
    void hangs() throws InterruptedException {
      new CountDownLatch(1).await();
    }
  }

  @Test
  void leftoversAreFound() {
    assertFails("leavesAResource", "left behind on fake://0", "0 live resources");
    assertFails("leavesMemory", "left behind on fake://0", "bytes=16", "0 bytes");
    assertFails("leavesAnOperation", "left behind on fake://0", "0 open operations");
  }

  @Test
  void warningsAreFound() {
    assertFails("warns", "unexpected: WARNING org.jhal.some.Thing: it smells");
  }

  @Test
  void deadThreadsAreFound() {
    assertFails("killsAThread", "thread victim died", "an uncaught exception");
  }

  @Test
  void aHangingTestFailsWithAThreadDump() {
    assertFails(Hanging.class, "hangs", "did not end within 4 s", "FrameTests$Hanging.hangs");
  }

  @Test
  void aTestThatClosesASharedDeviceFails() {
    assertFails("closesASharedDevice", "needs @FreshDevice");
  }

  @Test
  void aFailedCloseFailsTheTest() {
    assertFails("failsToClose", "will not close");
  }

  @Test
  void aFailureNamesTheCheckedRules() {
    assertFails(
        "breaksRules",
        "as bad as it gets",
        "rules: S4 (Waits may be limited.), Q9 (A signal promises everything before it.)");
  }

  @Test
  void aFailureOfARandomTestPrintsItsSeed() {
    assertFails("failsWithChance", "--seed 5");
    String first = run(Misbehaving.class, "failsWithChance").detail();
    String again = run(Misbehaving.class, "failsWithChance").detail();
    assertEquals(first.lines().findFirst(), again.lines().findFirst());
  }

  @Test
  void skippingWithoutAReasonOfTheSuiteIsAFailure() {
    CtsReport.Entry entry = run(Misbehaving.class, "aborts");
    assertEquals(Outcome.FAILED, entry.outcome());
  }

  /** Tests without errors. */
  @CtsSuite
  static class Behaving {
    static final List<String> CLOSED = new ArrayList<>();
    static final List<Integer> DRAWN = new ArrayList<>();

    @Test
    @Rule("S1")
    void passes(Cts cts) {
      cts.device();
    }

    @Test
    void closesInReverseOrder(Cts cts) {
      cts.closing(() -> CLOSED.add("first"));
      cts.closing(() -> CLOSED.add("second"));
    }

    @Test
    void cleansUpLate(Cts cts) {
      FakeDevice device = (FakeDevice) cts.device();
      device.live++;
      cts.closing(() -> device.live--);
    }

    @Test
    void warnsOnPurpose(Cts cts) {
      cts.allowLog("on purpose");
      System.getLogger("org.jhal.Thing").log(System.Logger.Level.WARNING, "on purpose");
      System.getLogger("org.jhal.Thing").log(System.Logger.Level.ERROR, "awaited");
      cts.awaitLog("awaited");
    }

    @Test
    @FreshDevice({"a=1", "b=2"})
    void usesADeviceOfItsOwn(Cts cts) {
      cts.device();
    }

    @Test
    @Needs(Need.CONTROLS)
    void needsControls() {}

    @Test
    @Needs(Need.SECOND_DEVICE)
    void needsASecondDevice() {}

    @Test
    @Needs(capabilities = Capability.HOST_IMPORT)
    void needsACapability() {}

    @Test
    @Needs(capabilities = Capability.SHARED_MEMORY)
    void hasACapability() {}

    @Test
    void findsOutThatItIsUnsupported() {
      throw Cts.unsupported("the moon is full");
    }

    @Test
    void loadsKernelsBesideAnotherDriver(Cts cts) {
      cts.other();
      cts.loadKernels();
    }

    @RepeatedTest(3)
    void draws(Cts cts) {
      DRAWN.add(cts.random().nextInt());
    }
  }

  private static void assertPasses(String method) {
    CtsReport.Entry entry = run(Behaving.class, method);
    assertEquals(Outcome.PASSED, entry.outcome(), entry::detail);
  }

  private static void assertUnsupported(String method, String reason) {
    CtsReport.Entry entry = run(Behaving.class, method);
    assertEquals(Outcome.UNSUPPORTED, entry.outcome(), entry::detail);
    assertEquals(reason, entry.detail());
  }

  @Test
  void correctTestsPass() {
    assertPasses("passes");
    assertPasses("cleansUpLate");
    assertPasses("warnsOnPurpose");
    assertPasses("hasACapability");
    Behaving.CLOSED.clear();
    assertPasses("closesInReverseOrder");
    assertEquals(List.of("second", "first"), Behaving.CLOSED);
  }

  @Test
  void aTestWithAMissingNeedIsUnsupported() {
    assertUnsupported("needsControls", Need.CONTROLS.absence());
    assertUnsupported("needsASecondDevice", Need.SECOND_DEVICE.absence());
    assertUnsupported("needsACapability", "the device does not offer HOST_IMPORT");
    assertUnsupported("findsOutThatItIsUnsupported", "the moon is full");
  }

  @Test
  void aFreshDeviceIsOpenedWithItsOptionsAndClosed() {
    FakeBackend backend = new FakeBackend();
    assertEquals(Outcome.PASSED, run(backend, Behaving.class, "usesADeviceOfItsOwn").outcome());
    FakeDevice last = backend.opened.get(backend.opened.size() - 1);
    assertEquals("Fake fake://?a=1&b=2", last.info().name());
    assertTrue(backend.opened.stream().allMatch(FakeDevice::isClosed), "devices left open");
  }

  /** The kernels are for the driver under test; a fake device would reject them. */
  @Test
  void kernelsAreNotLoadedOnAnotherDriversDevice() {
    FakeBackend backend =
        new FakeBackend() {
          @Override
          public Optional<Device> openOther() {
            return Optional.of(new FakeDevice("other://0"));
          }
        };
    CtsReport.Entry entry = run(backend, Behaving.class, "loadsKernelsBesideAnotherDriver");
    assertEquals(Outcome.PASSED, entry.outcome(), entry::detail);
  }

  @Test
  void repetitionsDrawDifferentNumbers() {
    Behaving.DRAWN.clear();
    new CtsRun(new FakeBackend()).only(Behaving.class).tests("*.draws").seed(1).run();
    assertEquals(3, Behaving.DRAWN.stream().distinct().count());
  }

  /** Opts out of two tests of {@link Behaving} and one of {@link Misbehaving}. */
  private static final class OptingOut extends FakeBackend {
    @Override
    public List<Unsupported> unsupported() {
      return List.of(new Unsupported("FrameTests$Behaving.cleansUpLate", "it never can"));
    }

    @Override
    public List<ExpectedFailure> expectedFailures() {
      return List.of(
          new ExpectedFailure("FrameTests$Behaving.passes", "it is not there yet", "to write it"),
          new ExpectedFailure("FrameTests$Misbehaving.warns", "it warns", "to be quiet"));
    }
  }

  @Test
  void optOutsAreNotRunAndHaveTheirReason() {
    CtsReport.Entry never = run(new OptingOut(), Behaving.class, "cleansUpLate");
    assertEquals(Outcome.UNSUPPORTED, never.outcome());
    assertEquals("left out by the driver: it never can", never.detail());
    CtsReport.Entry notYet = run(new OptingOut(), Behaving.class, "passes");
    assertEquals(Outcome.EXPECTED_FAILURE, notYet.outcome());
    assertEquals("it is not there yet; to fix it: to write it", notYet.detail());
  }

  @Test
  void anUnavailableDeviceSkipsEverythingAndLogsTheReason() {
    String reason = "libfake.so was not found";
    FakeBackend unavailable =
        new FakeBackend() {
          @Override
          public Optional<String> unavailable() {
            return Optional.of(reason);
          }
        };
    List<String> lines = new ArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord line) {
            lines.add(line.getLevel() + " " + line.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger(CtsSession.class.getName());
    logger.addHandler(handler);
    logger.setUseParentHandlers(false);
    CtsReport report;
    try {
      report = new CtsRun(unavailable).only(Behaving.class).run();
    } finally {
      logger.removeHandler(handler);
      logger.setUseParentHandlers(true);
    }
    assertEquals(report.entries(), report.entries(Outcome.UNSUPPORTED));
    assertEquals("not on this machine: " + reason, report.entries().get(0).detail());
    assertEquals(List.of("WARNING the suite does not run for fake: " + reason), lines);
  }

  @Test
  void expectedFailuresAreVerified() {
    CtsReport passing =
        new CtsRun(new OptingOut())
            .only(Behaving.class)
            .tests("*.passes")
            .verifyExpectedFailures()
            .run();
    assertFalse(passing.isSuccess());
    assertTrue(passing.entries().get(0).detail().contains("unexpected pass"));
    CtsReport failing =
        new CtsRun(new OptingOut())
            .only(Misbehaving.class)
            .tests("*.warns")
            .verifyExpectedFailures()
            .run();
    assertEquals(Outcome.EXPECTED_FAILURE, failing.entries().get(0).outcome());
    assertTrue(failing.isSuccess());
  }

  @Test
  void staleOptOutsFail() {
    CtsReport.Entry entry =
        run(new OptingOut(), CtsBackendTest.class, "everyOptOutNamesATestAndAReason");
    assertEquals(Outcome.FAILED, entry.outcome());
    assertTrue(entry.detail().contains("there is no such test"), entry::detail);
  }

  @Test
  void bothFormsOfTheReportHaveAllTests() {
    CtsReport report = new CtsRun(new OptingOut()).only(Behaving.class).seed(3).run();
    String json = report.toJson();
    assertTrue(json.contains("\"seed\": \"3\""), json);
    assertTrue(json.contains("\"rules\": [\"S1\"], \"outcome\": \"expected failure\""), json);
    assertTrue(json.contains("\"outcome\": \"unsupported\""), json);
    String xml = report.toJunitXml();
    assertTrue(
        xml.contains("<skipped message=\"unsupported: left out by the driver: it never can\"/>"),
        xml);
    assertTrue(xml.contains("tests=\"" + report.entries().size() + "\" failures=\"0\""), xml);
  }
}
