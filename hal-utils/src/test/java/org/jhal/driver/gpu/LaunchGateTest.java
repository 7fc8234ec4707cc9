package org.jhal.driver.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jhal.engine.queue.Threads;
import org.junit.jupiter.api.Test;

/** Who may be inside together. */
class LaunchGateTest {
  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(3);

  /** Longer than those outside wait before they look whether a launch hangs. */
  private static final long LONG = PATIENCE / 2;

  /** The time that it has waited for a call to end is not time that it has hung. */
  @Test
  void aLaunchThatHasWaitedLongKeepsCallsOut() {
    LaunchGate gate = new LaunchGate();
    List<String> order = new CopyOnWriteArrayList<>();
    AtomicBoolean isCalling = new AtomicBoolean();
    AtomicBoolean mayLaunch = new AtomicBoolean();
    Threads call =
        Threads.start(
            "call",
            () ->
                gate.run(
                    () -> {
                      isCalling.set(true);
                      Threads.await("the launch to wait long", mayLaunch::get);
                    }));
    Threads.await("the call to be inside", isCalling::get);
    Threads launch =
        Threads.start(
            "launch",
            () ->
                gate.launch(
                    PATIENCE,
                    () -> {
                      Threads next =
                          Threads.start("next call", () -> gate.run(() -> order.add("call")));
                      awaitNanos(LONG);
                      order.add("launch");
                      return next;
                    }));
    awaitNanos(LONG + LONG / 2);
    mayLaunch.set(true);
    call.join();
    launch.join();
    Threads.await("both", () -> order.size() == 2);
    assertEquals(List.of("launch", "call"), order);
  }

  private static void awaitNanos(long nanos) {
    long start = System.nanoTime();
    Threads.await("time to pass", () -> System.nanoTime() - start > nanos);
  }
}
