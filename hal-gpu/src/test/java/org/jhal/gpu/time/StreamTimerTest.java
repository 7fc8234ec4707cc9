// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import org.jhal.driver.Submission;
import org.jhal.gpu.natives.ResultCodes;
import org.jhal.gpu.runtime.FakeRuntime;
import org.junit.jupiter.api.Test;

/** Each timing event of a stream is destroyed once, whatever becomes of a measurement. */
class StreamTimerTest {
  private static final long STREAM = 3;

  private long handles;
  private int recordings;
  private int failing; // the number of the recording that fails; 0 for none
  private final List<Long> destroyed = new ArrayList<>();
  private final List<Runnable> whenFired = new ArrayList<>();

  private final FakeRuntime runtime = new FakeRuntime(this::call);
  private final StreamTimer timer =
      new StreamTimer(runtime, new DeviceClock(runtime), () -> STREAM);

  private final Submission submission =
      (Submission)
          Proxy.newProxyInstance(
              Submission.class.getClassLoader(),
              new Class<?>[] {Submission.class},
              (self, method, arguments) -> {
                if (method.getName().equals("whenFired")) {
                  whenFired.add((Runnable) arguments[0]);
                }
                return null;
              });

  private int call(String function, Object[] arguments) {
    switch (function) {
      case "eventCreateWithFlags" -> ((long[]) arguments[0])[0] = ++handles;
      case "eventRecord" -> {
        return ++recordings == failing ? FakeRuntime.OUT_OF_MEMORY : ResultCodes.SUCCESS;
      }
      case "eventDestroy" -> destroyed.add((Long) arguments[0]);
      default -> {}
    }
    return ResultCodes.SUCCESS;
  }

  private StreamTimer.Pair begin() {
    return Objects.requireNonNull(timer.begin());
  }

  private void assertAllDestroyed() {
    assertEquals(handles, destroyed.size(), "destroyed events");
    assertEquals(handles, new HashSet<>(destroyed).size(), "each of them once");
  }

  @Test
  void pairsAreUsedAgainWhenTheyAreRead() {
    StreamTimer.Pair first = begin();
    timer.end(first, submission);
    StreamTimer.Pair second = begin();
    assertEquals(4, handles, "two pairs, as the first one is not read");
    timer.giveBack(second);
    assertSame(second, begin());
    timer.giveBack(second);
    timer.close();
    assertEquals(List.of(second.begin(), second.end()), destroyed);
    whenFired.get(0).run(); // reads nothing, since the stream is closed
    assertAllDestroyed();
  }

  @Test
  void aPairThatIsGivenBackLateIsDestroyed() {
    StreamTimer.Pair late = begin();
    timer.close();
    assertEquals(List.of(), destroyed);
    timer.giveBack(late);
    assertAllDestroyed();
  }

  /** The work goes on unmeasured, and the pair is free. */
  @Test
  void aRecordingThatFailsLosesNoPair() {
    failing = 1;
    assertNull(timer.begin());
    StreamTimer.Pair pair = begin();
    assertEquals(2, handles);
    failing = 3;
    timer.end(pair, submission);
    assertEquals(List.of(), whenFired);
    assertSame(pair, begin());
    timer.giveBack(pair);
    timer.close();
    assertAllDestroyed();
  }
}
