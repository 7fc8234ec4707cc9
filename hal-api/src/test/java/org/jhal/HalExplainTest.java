// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import org.jhal.spi.Explainable;
import org.jhal.spi.Explanations;
import org.jhal.spi.OpenOperation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The text that {@link Hal#explain} makes of the operations that devices of any kind report. */
@Timeout(60)
class HalExplainTest {
  /** A device that reports the operations that a test gives it. */
  private static final class FakeExplainable implements Explainable {
    private final String name;
    private final List<OpenOperation> open = new ArrayList<>();
    private @Nullable HalException lost;
    private @Nullable RuntimeException fault;

    FakeExplainable(String name) {
      this.name = name;
    }

    /** An operation that is open for 0 s, however slow the test is. */
    FakeExplainable add(String queue, Fence waits, Fence signals) {
      long later = System.nanoTime() + TimeUnit.HOURS.toNanos(1);
      return add(queue, "barrier", later, waits, signals);
    }

    FakeExplainable add(String queue, String kind, long since, Fence waits, Fence signals) {
      int number = open.size() + 1;
      open.add(new OpenOperation(queue, number, kind, "PARKED", since, list(waits), list(signals)));
      return this;
    }

    private static List<Timepoint> list(Fence fence) {
      List<Timepoint> list = new ArrayList<>();
      for (int i = 0; i < fence.size(); i++) {
        list.add(fence.semaphore(i).at(fence.value(i)));
      }
      return list;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public @Nullable HalException lostCause() {
      return lost;
    }

    @Override
    public void reportOpen(Consumer<OpenOperation> looker) {
      open.forEach(looker);
      if (fault != null) {
        throw fault;
      }
    }
  }

  private final List<FakeExplainable> devices = new ArrayList<>();
  private final FakeTimelineSemaphore a = new FakeTimelineSemaphore("a");
  private final FakeTimelineSemaphore b = new FakeTimelineSemaphore("b");
  private final FakeTimelineSemaphore c = new FakeTimelineSemaphore("c");

  private FakeExplainable device(String name) {
    FakeExplainable device = new FakeExplainable(name);
    devices.add(device);
    Explanations.register(device);
    return device;
  }

  @AfterEach
  void forget() {
    devices.forEach(Explanations::unregister);
  }

  private static String explain() {
    String text = Hal.explain();
    assertTrue(text.length() <= Hal.EXPLANATION_LIMIT, () -> text.length() + " characters");
    return text;
  }

  /** Asserts that the parts occur in this order. */
  private static void assertParts(String text, String... parts) {
    int from = 0;
    for (String part : parts) {
      int found = text.indexOf(part, from);
      assertTrue(found >= 0, () -> "'" + part + "' is missing, or too early, in:\n" + text);
      from = found + part.length();
    }
  }

  /** The time does not grow with the product of the numbers of waits and signals. */
  @Test
  @Timeout(20)
  void explainsAnOperationWithManyWaitsAndSignalsInTime() {
    List<Timepoint> waits = new ArrayList<>();
    List<Timepoint> signals = new ArrayList<>();
    for (int i = 0; i < 150_000; i++) {
      waits.add(new FakeTimelineSemaphore("w" + i).at(1));
      signals.add(new FakeTimelineSemaphore("s" + i).at(1));
    }
    waits.add(a.at(3));
    waits.add(a.at(5));
    signals.add(a.at(5)); // which is no promise for itself
    device("d").open.add(new OpenOperation("q", 1, "barrier", "PARKED", 0, waits, signals));
    String text = explain();
    assertParts(
        text, "No operation has promised", "q operation 1 ", "Only operations that wait for it");
    assertParts(text, "waits for a to reach 3, now at 0, promised only by itself");
    assertParts(text, "waits for a to reach 5, now at 0, promised only by itself");
  }

  private static void awaitTrue(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() - deadline < 0, () -> "waited 30 s for " + what);
      Thread.yield();
    }
  }

  @Test
  void reportsNoOperationsWithoutDevices() {
    assertParts(explain(), "no open operations on no open devices", "class loaders, are not seen");
  }

  @Test
  void reportsAnOperationWithItsWaitsAndTheirProducers() {
    long now = System.nanoTime();
    long since = now - TimeUnit.SECONDS.toNanos(75);
    a.signal(2);
    device("d")
        .add("d-q0", "dispatch of f", since, a.at(5), b.at(1))
        .add("d-q1", "fill", since, Fence.NONE, a.at(7));
    String text = Fakes.atAge(explain(), 75, now);
    assertParts(
        text,
        "2 open operations on 1 open device\n",
        "\nDevice d:\n",
        " Queue d-q0: 1 open operation\n",
        "  d-q0 operation 1 (dispatch of f, PARKED, for 75 s) waits for a to reach 5, now at 2,"
            + " by d-q1 operation 2, which signals 7; signals b@1\n",
        " Queue d-q1: 1 open operation\n",
        "  d-q1 operation 2 (fill, PARKED, for 75 s); signals a@7\n");
    assertFalse(text.contains("Cycle") || text.contains("No operation has promised"), text);
  }

  @Test
  void omitsAReachedWait() {
    device("d").add("q", a.at(5), b.at(1));
    a.signal(5);
    assertFalse(explain().contains("waits for"), HalExplainTest::explain);
  }

  @Test
  void listsCyclesBeforeUnpromisedWaits() {
    device("x").add("x-q0", c.at(3), Fence.NONE).add("x-q1", a.at(1), b.at(1));
    device("y").add("y-q0", b.at(1), Fence.of(a.at(1), c.at(2)));
    String text = explain();
    assertParts(
        text,
        "\nCycle: 2 operations wait for one another\n",
        "  x-q1 operation 2 (barrier, PARKED, for 0 s) waits for a to reach 1, now at 0, by y-q0",
        "  y-q0 operation 1 (barrier, PARKED, for 0 s) waits for b to reach 1, now at 0, by x-q1",
        "\nNo operation has promised",
        "  x-q0 operation 1 (barrier, PARKED, for 0 s) waits for c to reach 3, now at 0, which"
            + " no operation has promised\n",
        "\nDevice x:\n");
    assertEquals(text.indexOf("Cycle"), text.lastIndexOf("Cycle"), text);
  }

  @Test
  void excludesOperationsThatWaitForACycle() {
    device("d")
        .add("q", a.at(1), b.at(1))
        .add("q", b.at(1), a.at(1))
        .add("q", b.at(1), c.at(1))
        .add("q", c.at(1), Fence.NONE);
    assertParts(explain(), "Cycle: 2 operations wait for one another\n", "\nDevice");
  }

  /** An operation that waits for a value of a timeline cannot raise the timeline to it. */
  @Test
  void reportsAChainOnOneTimelineAsNoCycle() {
    device("d").add("q", a.at(1), a.at(2)).add("q", a.at(2), a.at(3)).add("q", a.at(9), a.at(9));
    String text = explain();
    assertParts(
        text,
        "Only operations that wait for it themselves have promised what these wait for:\n",
        "operation 1 (barrier, PARKED, for 0 s) waits for a to reach 1, now at 0, promised only by"
            + " operations that wait for it themselves, such as q operation 3\n",
        "operation 3 (barrier, PARKED, for 0 s) waits for a to reach 9, now at 0, promised only by"
            + " itself\n",
        "Device",
        "operation 2 (barrier, PARKED, for 0 s) waits for a to reach 2, now at 0, by q operation 1");
    assertFalse(text.contains("Cycle"), text);
  }

  @Test
  void reportsAnOperationThatWaitsForItsOwnSignals() {
    device("d").add("q", Fence.of(a.at(1), b.at(2)), Fence.of(a.at(1), b.at(2)));
    String text = explain();
    assertParts(
        text,
        "\nOnly operations that wait for it themselves have promised what these wait for:\n",
        "q operation 1 (barrier, PARKED, for 0 s) waits for a to reach 1, now at 0, promised only"
            + " by itself\n",
        "q operation 1 (barrier, PARKED, for 0 s) waits for b to reach 2, now at 0, promised only"
            + " by itself\n",
        "Device d:\n",
        "waits for a to reach 1, now at 0, promised only by itself; and for b to reach 2, now at"
            + " 0, promised only by itself; signals a@1, b@2\n");
    assertFalse(text.contains("o operation has promised"), text);
    assertFalse(text.contains("Cycle"), text);
  }

  @Test
  void namesTheSelfWaitingOperationToItsWaiters() {
    device("d").add("q", a.at(2), a.at(2)).add("q", a.at(1), b.at(1)).add("q", a.at(3), b.at(2));
    assertParts(
        explain(),
        "No operation has promised",
        "operation 3 (barrier, PARKED, for 0 s) waits for a to reach 3, now at 0, which no operation",
        "Only operations that wait for it",
        "operation 1 (barrier, PARKED, for 0 s) waits for a to reach 2, now at 0, promised only by"
            + " itself\n",
        "operation 2 (barrier, PARKED, for 0 s) waits for a to reach 1, now at 0, promised only by"
            + " operations that wait for it themselves, such as q operation 1\n");
  }

  @Test
  void ignoresAnOwnSignalIfAnotherOperationHasPromisedTheValue() {
    device("d").add("q", a.at(1), a.at(1)).add("q", c.at(1), a.at(1));
    String text = explain();
    assertParts(
        text,
        "No operation has promised",
        "c to reach 1",
        "Device",
        "a to reach 1, now at 0, by q operation");
    assertFalse(text.contains("itself\n"), text);
  }

  /** Both in the line of one operation and in the text about the process. */
  @Test
  void omitsAReachedWaitBesideAnOpenOne() {
    a.signal(3);
    FakeExplainable device = device("d").add("q", Fence.of(a.at(3), b.at(1)), c.at(1));
    assertEquals(
        "q operation 1 (barrier, PARKED, waits for b to reach 1, now at 0)",
        device.open.get(0).toString());
    String text = explain();
    assertParts(text, "waits for b to reach 1", "Device d:", "waits for b to reach 1");
    assertFalse(text.contains("a to reach"), text);
  }

  /** With as many items of each kind as are printed, the text mentions no further ones. */
  @Test
  void printsEverythingUpToTheLimits() {
    FakeExplainable device = device("d");
    for (int i = 0; i < 8; i++) { // cycles of 16
      List<FakeTimelineSemaphore> ring = new ArrayList<>();
      for (int n = 0; n < 16; n++) {
        ring.add(new FakeTimelineSemaphore("ring" + i + "." + n));
      }
      for (int n = 0; n < 16; n++) {
        device.add("q" + i, ring.get(n).at(1), ring.get((n + 1) % 16).at(1));
      }
    }
    for (int i = 0; i < 10; i++) { // four unpromised waits and four signals each
      List<Timepoint> waits = new ArrayList<>();
      List<Timepoint> signals = new ArrayList<>();
      for (int n = 0; n < 4; n++) {
        waits.add(new FakeTimelineSemaphore("never" + i + "." + n).at(1));
        FakeTimelineSemaphore failed = new FakeTimelineSemaphore("failed" + i + "." + n);
        if (i < 5) {
          failed.fail(new HalException(Status.DATA_LOSS, "gone"));
        }
        signals.add(failed.at(1));
      }
      device.add("last", Fence.of(waits), Fence.of(signals));
    }
    String text = explain();
    assertFalse(text.contains(" more"), text);
    assertParts(
        text, "never9.3 to reach 1, now at 0, which no operation", "failed4.3: DATA_LOSS", "d:");
    for (int i = 0; i < 7; i++) { // 17 of the queue
      device.add("last", a.at(1), Fence.NONE);
    }
    assertParts(explain(), "  and 7 more such waits\n", "  and 1 more of the queue\n");
  }

  @Test
  void reportsNoCycleIfAnotherOperationCanSignal() {
    device("d").add("q", a.at(1), b.at(1)).add("q", b.at(1), a.at(1)).add("q", Fence.NONE, a.at(9));
    String text = explain();
    assertFalse(text.contains("Cycle") || text.contains("No operation has promised"), text);
  }

  @Test
  void findsACycleThroughTheSecondWait() {
    device("d").add("q", Fence.of(c.at(1), b.at(1)), a.at(1)).add("q", a.at(1), b.at(1));
    assertParts(explain(), "Cycle: 2 operations", "No operation has promised", "c to reach 1");
  }

  @Test
  void ignoresAPromiseOfASmallerValue() {
    device("d").add("q", a.at(5), Fence.NONE).add("q", Fence.NONE, a.at(4));
    assertParts(
        explain(), "No operation has promised", "a to reach 5, now at 0, which no operation");
  }

  @Test
  void namesWhatIsWrongWithKernels() {
    device("d").add("q", a.at(1), b.at(1));
    KernelFinding.Place place = new KernelFinding.Place("blur.cu", 7, "out[i] = 1;", 0, 6);
    KernelFinding finding =
        new KernelFinding(
            "memory",
            "blur",
            "kernel blur writes outside 'out'",
            place,
            "item 3",
            null,
            "",
            false,
            1);
    HalException wrong = HalException.ofFindings("wrong", List.of(finding));
    b.fail(wrong.of(new FailedOperation("d-q0", 4, "dispatch")));
    assertParts(
        explain(),
        "Failed timelines",
        "  b: ABORTED: d-q0 operation 4 (dispatch) is wrong\n"
            + "    memory: kernel blur writes outside 'out', in blur.cu:7, by item 3\n",
        "Device d");
  }

  @Test
  void reportsFailedTimelines() {
    device("d").add("q", a.at(1), b.at(1));
    b.fail(new HalException(Status.DATA_LOSS, "gone"));
    assertParts(explain(), "Failed timelines", "  b: DATA_LOSS: gone\n", "Device d");
    a.fail(new HalException(Status.ABORTED, "over"));
    String text = explain();
    assertParts(text, "a: ABORTED: over");
    assertFalse(text.contains("No operation has promised"), text);
  }

  @Test
  void reportsALostDevice() {
    FakeExplainable device = device("d");
    device.lost = new HalException(Status.UNAVAILABLE, "device d is lost: unplugged");
    assertParts(explain(), "Device d, lost: device d is lost: unplugged: no open operations");
  }

  @Test
  void reportsOtherDevicesIfOneCannotReport() {
    FakeExplainable broken = device("broken");
    broken.add("q", a.at(1), Fence.NONE);
    broken.fault = new IllegalStateException("oops");
    device("good").add("good-q0", a.at(1), Fence.NONE);
    assertParts(
        explain(),
        "Device broken, cannot report its operations: java.lang.IllegalStateException: oops",
        "Device good",
        "good-q0 operation 1");
  }

  @Test
  void escapesAndShortensOddNames() {
    FakeTimelineSemaphore odd = new FakeTimelineSemaphore("n\nDevice evil\r\u202e\u2028\ud800x");
    device("two\nlines").add("q\u0000", "k".repeat(10_000), 0, odd.at(1), Fence.NONE);
    String text = explain();
    assertParts(text, "n\\u000aDevice evil\\u000d\\u202e\\u2028\\ud800x to reach 1");
    assertParts(text, "two\\u000alines", "q\\u0000", "kkk...");
    assertFalse(text.contains("\nDevice evil"), text);
    text.chars().forEach(c -> assertTrue(c == '\n' || c >= ' ', () -> "character " + c));
    assertTrue(text.length() < 4_000, () -> text.length() + " characters");
  }

  @Test
  void aChainOf100000WaitsIsBounded() {
    FakeExplainable device = device("d");
    int length = 100_000;
    List<FakeTimelineSemaphore> lines = new ArrayList<>();
    for (int i = 0; i <= length; i++) {
      lines.add(new FakeTimelineSemaphore("line " + i));
    }
    for (int i = 0; i < length; i++) {
      device.add("q", lines.get(i).at(1), lines.get(i + 1).at(1));
    }
    long start = System.nanoTime();
    String text = explain();
    assertParts(
        text, "100000 open operations", "line 0 to reach 1, now at 0, which no operation", "more");
    device.add("q", lines.get(length).at(1), lines.get(0).at(1));
    assertParts(explain(), "Cycle: 100001 operations wait for one another", "99985 more");
    long seconds = (System.nanoTime() - start) / 1_000_000_000;
    assertTrue(seconds < 20, () -> seconds + " s");
  }

  @Test
  void manyPromisesOfOneTimelineAreBounded() {
    FakeExplainable device = device("d");
    for (int i = 0; i < 100_000; i++) {
      device.add("q", Fence.of(a.at(1), b.at(1)), a.at(1 + i));
    }
    assertParts(
        explain(),
        "No operation has promised",
        "99960 more such waits",
        "Only operations",
        "99960 more such waits");
    device.add("q", c.at(1), Fence.of(a.at(3), b.at(1))).add("q", a.at(1), c.at(5));
    String text = explain();
    assertParts(text, "Cycle: 2 operations", "q operation 100001", "q operation 100002", "Device");
    assertFalse(text.contains("No operation has promised"), text);
  }

  @Test
  void theTextIsCutAtItsLimit() {
    for (int i = 0; i < 1_000; i++) {
      device("device" + i).add("q" + i, a.at(1), b.at(1));
    }
    String text = explain();
    assertTrue(text.endsWith("\n... the rest is cut off\n"), text.substring(text.length() - 100));
    assertTrue(text.length() > Hal.EXPLANATION_LIMIT - 1_000, () -> text.length() + " characters");
  }

  @Test
  void examinesABoundedNumberOfOperations() {
    FakeExplainable device = device("d").add("q", a.at(1), b.at(1));
    OpenOperation newest = device.open.get(0);
    for (int i = 0; i < ProcessExplanation.MOST_OPERATIONS + 4; i++) {
      device.open.add(newest);
    }
    device.add("oldest", c.at(1), Fence.NONE);
    String text = explain();
    assertParts(text, "200006 open operations", "Only 200000 of them were examined; the others");
    assertParts(text, "Device", " Queue oldest: 1 open operation");
  }

  @Test
  void letsAnUnreachableDeviceBeCollected() {
    WeakReference<Explainable> forgotten = forgotten();
    awaitTrue(
        "a forgotten device to be collected",
        () -> {
          System.gc();
          return forgotten.get() == null;
        });
    assertFalse(explain().contains("forgotten"), HalExplainTest::explain);
  }

  private static WeakReference<Explainable> forgotten() {
    Explainable device = new FakeExplainable("forgotten");
    Explanations.register(device);
    assertParts(Hal.explain(), "Device forgotten");
    return new WeakReference<>(device);
  }

  @Test
  void registersADeviceOnlyOnce() {
    FakeExplainable device = device("once");
    Explanations.register(device);
    assertEquals(1, Explanations.all().size());
    Explanations.unregister(device);
    Explanations.unregister(device);
    assertEquals(List.of(), Explanations.all());
  }

  /** While it is alive, it may act on what it has seen of devices that have gone since. */
  private static boolean isBeanThreadAlive() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().equals("jhal-jmx"));
  }

  @Test
  void registersTheBeanWhileADeviceIsRegistered() throws Exception {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    ObjectName name = new ObjectName("org.jhal:type=Hal");
    awaitTrue("changes by other tests to be over", () -> !isBeanThreadAlive());
    awaitTrue("beans of other tests to go", () -> !server.isRegistered(name));
    FakeExplainable first = device("first").add("q", a.at(1), Fence.NONE);
    FakeExplainable second = device("second");
    awaitTrue("the bean", () -> server.isRegistered(name));
    Object text = server.invoke(name, "explain", new Object[0], new String[0]);
    assertParts(String.valueOf(text), "No operation has promised", "Device first", "Device second");
    Explanations.unregister(first);
    assertTrue(server.isRegistered(name), "one device is left");
    awaitTrue("the property", () -> name.toString().equals(System.getProperty(HalMXBean.PROPERTY)));
    Explanations.unregister(second);
    awaitTrue("the bean to go", () -> !server.isRegistered(name));
    assertNull(System.getProperty(HalMXBean.PROPERTY));
  }

  @Test
  void callsListenersAfterEachChange() {
    AtomicInteger seen = new AtomicInteger(-1);
    Registration broken =
        Explanations.onChange(
            () -> {
              throw new IllegalStateException("as asked");
            });
    Registration counting = Explanations.onChange(() -> seen.set(Explanations.all().size()));
    FakeExplainable first = device("first");
    awaitTrue("one device", () -> seen.get() == 1);
    device("second");
    awaitTrue("two devices", () -> seen.get() == 2);
    Explanations.unregister(first);
    awaitTrue("one device again", () -> seen.get() == 1);
    assertTrue(broken.cancel());
    assertTrue(counting.cancel());
    assertFalse(counting.cancel());
    AtomicInteger later = new AtomicInteger(-1);
    Registration other = Explanations.onChange(() -> later.set(Explanations.all().size()));
    device("third");
    awaitTrue("two devices for the other listener", () -> later.get() == 2);
    int last = seen.get(); // by a call that was under way when it was cancelled, and is over now
    device("fourth");
    awaitTrue("three devices for the other listener", () -> later.get() == 3);
    assertEquals(last, seen.get(), "a cancelled listener was called");
    assertTrue(other.cancel());
  }

  @Test
  void usesAnotherNameBesideTheBeanOfAnotherCopy() throws Exception {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    ObjectName name = new ObjectName("org.jhal:type=Hal");
    ObjectName next = new ObjectName("org.jhal:type=Hal,copy=2");
    awaitTrue("changes by other tests to be over", () -> !isBeanThreadAlive());
    awaitTrue("beans of other tests to go", () -> !server.isRegistered(name));
    HalMXBean other =
        new HalMXBean() {
          @Override
          public String explain() {
            return "other";
          }

          @Override
          public List<DeviceBean> getDevices() {
            return List.of();
          }
        };
    var unused = server.registerMBean(new StandardMBean(other, HalMXBean.class), name);
    try {
      FakeExplainable device = device("d");
      awaitTrue("the second bean", () -> server.isRegistered(next));
      assertEquals("other", server.invoke(name, "explain", null, null));
      Explanations.unregister(device);
      awaitTrue("the second bean to go", () -> !server.isRegistered(next));
      assertTrue(server.isRegistered(name));
    } finally {
      server.unregisterMBean(name);
    }
  }
}
