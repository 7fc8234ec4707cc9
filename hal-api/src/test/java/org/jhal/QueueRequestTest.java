// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.OptionalDouble;
import org.jhal.QueueRequest.Priority;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QueueRequestTest {
  private static void assertRefused(Status status, String part, Executable call) {
    HalException refused = assertThrows(HalException.class, call);
    assertEquals(status, refused.status());
    assertTrue(String.valueOf(refused.getMessage()).contains(part), refused.getMessage());
  }

  @Test
  void withersChangeOneThing() {
    QueueRequest all =
        QueueRequest.DEFAULT.withPriority(Priority.LOW).withShare(0.5).withName("a.B-c_9");
    assertEquals(new QueueRequest(Priority.LOW, OptionalDouble.of(0.5), "a.B-c_9"), all);
    assertEquals(Priority.NORMAL, QueueRequest.DEFAULT.priority());
    assertEquals(OptionalDouble.empty(), QueueRequest.DEFAULT.share());
    assertEquals("", QueueRequest.DEFAULT.name());
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -0.0, -1, 1.0000001, Double.NaN, Double.POSITIVE_INFINITY})
  void sharesAreAboveZeroAndAtMostOne(double share) {
    assertRefused(
        Status.OUT_OF_RANGE, "share " + share, () -> QueueRequest.DEFAULT.withShare(share));
  }

  @ParameterizedTest
  @ValueSource(doubles = {1, Double.MIN_VALUE, 0.25})
  void otherSharesAreAccepted(double share) {
    assertEquals(share, QueueRequest.DEFAULT.withShare(share).share().orElseThrow());
  }

  @ParameterizedTest
  @ValueSource(strings = {"two words", "a/b", "a\nb", "\u00e9", "a:b"})
  void namesHaveNoOtherCharacters(String name) {
    assertRefused(
        Status.INVALID_ARGUMENT, "queue name '", () -> QueueRequest.DEFAULT.withName(name));
  }

  @Test
  void longNamesAreRefused() {
    String longest = "x".repeat(QueueRequest.MAX_NAME);
    assertEquals(longest, QueueRequest.DEFAULT.withName(longest).name());
    assertRefused(Status.OUT_OF_RANGE, "32", () -> QueueRequest.DEFAULT.withName(longest + "x"));
  }

  @Test
  void aGrantHasAtMostTheDevice() {
    assertEquals(0.25, new QueueGrant(Priority.HIGH, 4, 16, true).share());
    assertEquals(0, new QueueGrant(Priority.HIGH, 0, 0, false).share());
    assertRefused(Status.OUT_OF_RANGE, "17", () -> new QueueGrant(Priority.HIGH, 17, 16, true));
    assertRefused(Status.OUT_OF_RANGE, "-1", () -> new QueueGrant(Priority.HIGH, -1, 16, true));
  }
}
