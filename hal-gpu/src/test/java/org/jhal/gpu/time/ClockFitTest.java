// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** References of two clocks, each of which is read with an error. */
class ClockFitTest {
  private static final double START = 1e15; // of the host's clock

  /** A device whose clock differs by {@code drift}. */
  private static float millis(double nanos, double drift) {
    return (float) (nanos * (1 + drift) / 1e6);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 9e-4, -9e-4, 5e-5})
  void anyTimeIsWithinTheStatedError(double drift) {
    Random random = new Random(7);
    double host = START;
    ClockFit fit = ClockFit.first(host, 5_000);
    double real = host; // of the reference
    for (int i = 0; i < 1_000; i++) {
      double next = real + fit.interval() * (0.5 + random.nextDouble());
      double error = 1_000 + random.nextInt(i % 10 == 0 ? 3_000_000 : 9_000);
      double read = next + (2 * random.nextDouble() - 1) * error;
      ClockFit later = fit.follow(read, error, millis(next - real, drift));
      assertNotNull(later, "reference " + i);
      if (later != fit) {
        fit = later;
        real = next;
      }
      for (double since : new double[] {-3e9, -1e6, 0, 1e5, 1e9, 5e9}) {
        float at = millis(since, drift);
        double wrong = Math.abs(fit.at(at) - (real + since));
        double stated = fit.errorAt(at);
        assertTrue(wrong <= stated, "wrong by " + wrong + ", stated " + stated + ": " + later);
      }
    }
    assertTrue(fit.rateError() < 1e-4, fit::toString);
  }

  /** The device was busy when it was read. */
  @Test
  void doesNotUseAWorseReference() {
    ClockFit fit = ClockFit.first(START, 3_000);
    assertSame(fit, fit.follow(START + 1e7, 1_000_000, millis(1e7, 0)));
    ClockFit better = fit.follow(START + 1e7, 4_000, millis(1e7, 0));
    assertNotNull(better);
    assertEquals(4_000, better.error(), "10 us may be lost in the meantime");
  }

  /**
   * Each may be wrong by more than the time between them, even so that their order seems swapped.
   */
  @ParameterizedTest
  @ValueSource(doubles = {3e6, 0, -2e6, 4e7})
  void replacesAPoorReferenceByABetterOne(double passed) {
    ClockFit fit = ClockFit.first(START, 5e7);
    ClockFit better = fit.follow(START + 1.2e7, 3_000, millis(passed, 0));
    assertNotNull(better);
    assertEquals(3_000, better.error());
    assertEquals(1, better.rate(), "the rate, of which nothing is known");
  }

  /** A well-known rate is not replaced by one that is known less well. */
  @Test
  void keepsTheBetterRate() {
    ClockFit fit = new ClockFit(START, 1_000, 1.0001, 1e-6, 1_000_000_000);
    ClockFit next = fit.follow(START + 1e9, 1_500, millis(1e9, -1e-4));
    assertNotNull(next);
    assertEquals(1.0001, next.rate());
    assertTrue(next.rateError() > 1e-6, next::toString);
    assertTrue(next.rateError() < 3e-6, next::toString);
  }

  @Test
  void refusesClocksThatDrift() {
    ClockFit fit = ClockFit.first(START, 1_000);
    assertNull(fit.follow(START + 1e9, 1_000, millis(1e9, 0.01)), "too fast");
    assertNull(fit.follow(START + 1e9, 1_000, millis(1e9, -0.01)), "too slow");
    assertNull(fit.follow(START + 1e9, 1_000, -1_000f), "backwards");
    assertNull(fit.follow(START + 1e9, 1_000, 0f), "it stands still");
    assertNull(fit.follow(START + 1e9, 1_000, Float.NaN), "no time");
    assertNull(fit.follow(START + 1e9, 1_000, Float.POSITIVE_INFINITY), "no time");
  }
}
