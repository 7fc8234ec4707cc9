// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.timeline;

import static org.jhal.engine.queue.Interleavings.SOME;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.jhal.engine.queue.Interleavings;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A semaphore that threads share is linearizable (rules S1 to S8). */
class SemaphoreInterleavingTest {
  private static final List<String> CHANGES =
      List.of("signalTwo", "signalAtLeastTwo", "publishTwo", "fail", "close");
  private static final List<String> LOOKS =
      List.of(
          "value value",
          "value waitOfHost",
          "waitOfHost value",
          "value waitOfDevice",
          "waitOfDevice value",
          "waitAndTakeBack",
          "awaitNothing");
  private static final List<String> ALL =
      List.of(
          "signalOne",
          "signalTwo",
          "signalAtLeastTwo",
          "publishTwo",
          "fail",
          "close",
          "value",
          "waitOfHost",
          "waitOfDevice",
          "waitAndTakeBack",
          "awaitNothing");

  private static final List<String> THREE =
      List.of(
          "-> publishTwo | signalTwo | waitOfDevice",
          "-> fail | close | waitOfHost value",
          "-> signalOne | signalTwo | waitOfHost",
          "waitOfDevice -> publishTwo | fail | value");

  private static Interleavings interleavings() {
    return new Interleavings(SemaphoreScenario.class, SemaphoreScenario.Model.class);
  }

  private static void sample(List<String> scenarios) {
    interleavings().sample(scenarios);
  }

  private static void check(int count, List<String> scenarios) {
    interleavings().check(count, scenarios);
  }

  private static List<String> changesAndLooks() {
    List<String> scenarios = new ArrayList<>();
    for (String change : CHANGES) {
      for (String look : LOOKS) {
        scenarios.add("signalOne -> " + change + " | " + look);
      }
    }
    return scenarios;
  }

  @Test
  void oneThreadChangesItAndAnotherLooks() {
    sample(changesAndLooks());
  }

  @Test
  void twoThreadsChangeItAndAThirdLooks() {
    sample(THREE);
  }

  @Test
  @Tag("long")
  void theSameInMoreInterleavings() {
    check(SOME, changesAndLooks());
    check(SOME, THREE);
  }

  @Test
  @Tag("exhaustive")
  void theSameInManyInterleavings() {
    check(300, changesAndLooks());
    check(300, THREE);
  }

  /** Every two calls on one thread, with every two on another. */
  @Test
  @Tag("exhaustive")
  void everyTwoThreadsDoEveryTwoThings() {
    List<String> scenarios = new ArrayList<>();
    for (int i = 0; i < ALL.size() * ALL.size(); i++) {
      for (int j = 0; j <= i; j++) {
        scenarios.add("-> " + pair(i) + " | " + pair(j));
      }
    }
    check(10, scenarios);
  }

  private static String pair(int index) {
    return ALL.get(index / ALL.size()) + " " + ALL.get(index % ALL.size());
  }

  // Wrong semaphores, which must be rejected, or the tests above mean nothing.

  /** Reads the value before it registers, so a signal in between notifies no waiter. */
  public static class LooksThenRegisters extends SemaphoreScenario {
    private final List<Waiter> registered = new ArrayList<>(); // guarded by itself

    /** For Lincheck. */
    public LooksThenRegisters() {}

    @Override
    boolean register(Waiter waiter) {
      if (semaphore.currentValue() >= waiter.wanted) {
        return false;
      }
      synchronized (registered) {
        return registered.add(waiter);
      }
    }

    @Override
    public int signalTwo() {
      int result = super.signalTwo();
      synchronized (registered) {
        registered.forEach(waiter -> waiter.released(Cascade.current()));
        registered.clear();
      }
      return result;
    }
  }

  @Test
  void aWaiterThatIsNeverNotifiedIsFound() {
    String said =
        new Interleavings(LooksThenRegisters.class, SemaphoreScenario.Model.class)
            .rejects("-> signalTwo | waitOfHost");
    assertTrue(said.contains("waiter for 1 was notified 0 times"), said);
  }

  /** Removes waiters after it has notified them, so two signallers notify the same one. */
  public static class NotifiesThenRemoves extends SemaphoreScenario {
    private final List<Waiter> registered = new ArrayList<>(); // guarded by itself

    /** For Lincheck. */
    public NotifiesThenRemoves() {}

    @Override
    boolean register(Waiter waiter) {
      synchronized (registered) {
        return registered.add(waiter);
      }
    }

    @Override
    public void signalAtLeastTwo() {
      super.signalAtLeastTwo();
      List<Waiter> released;
      synchronized (registered) {
        released = List.copyOf(registered);
      }
      released.forEach(waiter -> waiter.released(Cascade.current()));
      synchronized (registered) {
        registered.removeAll(released);
      }
    }
  }

  @Test
  void aWaiterThatIsNotifiedTwiceIsFound() {
    String said =
        new Interleavings(NotifiesThenRemoves.class, SemaphoreScenario.Model.class)
            .rejects("waitOfDevice -> signalAtLeastTwo | signalAtLeastTwo");
    assertTrue(said.contains("waiter for 2 was notified 2 times"), said);
  }

  /** Shows its failure in one call, and ignores it in the next. */
  public static class FailsInTwoSteps extends SemaphoreScenario {
    private volatile boolean isFailed;

    /** For Lincheck. */
    public FailsInTwoSteps() {}

    @Override
    public void fail() {
      isFailed = true;
      super.fail();
    }

    @Override
    public int value() {
      return isFailed ? FAILED : super.value();
    }
  }

  @Test
  void aFailureThatComesAndGoesIsFound() {
    String said =
        new Interleavings(FailsInTwoSteps.class, SemaphoreScenario.Model.class)
            .rejects("signalOne -> fail | value waitOfHost");
    assertTrue(said.contains("Invalid execution results"), said);
  }
}
