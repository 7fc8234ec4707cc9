// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import org.jhal.CollectiveGroup.Options;
import org.jhal.spi.CollectiveDevice;
import org.jhal.spi.HostWaits;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The checks before the first device creates a group. */
class GroupsTest {
  private static final HalException MADE = new HalException(Status.UNKNOWN, "asked to make it");

  private static <D extends Device> D device(
      Class<D> type, String name, boolean isClosed, @Nullable HalException lost) {
    return type.cast(
        Proxy.newProxyInstance(
            GroupsTest.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "toString" -> name;
                  case "isClosed" -> isClosed;
                  case "lostCause" -> lost;
                  case "createGroup" -> throw MADE;
                  case "equals" -> true; // only identity counts
                  case "hashCode" -> 1;
                  default -> throw new UnsupportedOperationException(method.toString());
                }));
  }

  private static CollectiveDevice device(String name) {
    return device(CollectiveDevice.class, name, false, null);
  }

  private static void refused(Status status, String part, Device... devices) {
    HalException refusal = assertThrows(HalException.class, () -> CollectiveGroup.of(devices));
    assertEquals(status, refusal.status());
    assertTrue(refusal.getMessage().contains(part), refusal::getMessage);
  }

  @Test
  void theFirstDeviceCreatesTheGroup() {
    assertSame(
        MADE, assertThrows(HalException.class, () -> CollectiveGroup.of(device("a"), device("b"))));
  }

  @Test
  void namesADeviceThatCannotTakePart() {
    refused(Status.INVALID_ARGUMENT, "at least one device");
    CollectiveDevice twice = device("twice");
    refused(
        Status.INVALID_ARGUMENT,
        "ranks 1 and 2 are the same device, twice",
        device("a"),
        twice,
        twice);
    refused(
        Status.UNIMPLEMENTED,
        "rank 1, plain, offers no collectives",
        device("a"),
        device(Device.class, "plain", false, null));
    refused(
        Status.FAILED_PRECONDITION,
        "rank 0, gone, is closed",
        device(CollectiveDevice.class, "gone", true, null));
    refused(
        Status.UNAVAILABLE,
        "the cable",
        device("a"),
        device(
            CollectiveDevice.class,
            "lost",
            false,
            new HalException(Status.UNAVAILABLE, "the cable was pulled")));
  }

  @Test
  void refusesToCreateAGroupOnAThreadThatMustNotWait() {
    String before = HostWaits.refuse("external work");
    try {
      refused(Status.FAILED_PRECONDITION, "external work", device("a"));
    } finally {
      HostWaits.restore(before);
    }
  }

  @Test
  void optionsRefuseADeadlineThatIsNotPositive() {
    assertEquals(CollectiveGroup.DEFAULT_DEADLINE, Options.DEFAULT.deadline());
    assertEquals(
        new Options(Duration.ofDays(1), true),
        Options.DEFAULT.withHostOnly().withDeadline(Duration.ofDays(1)));
    HalException refusal =
        assertThrows(HalException.class, () -> new Options(Duration.ofNanos(-1), false));
    assertEquals(Status.OUT_OF_RANGE, refusal.status());
    assertEquals("deadline -0.000000001 s must be more than zero", refusal.getMessage());
  }

  @Test
  void kindsReportWhetherTheyReduce() {
    assertEquals(
        List.of("reduce", "all-reduce", "reduce-scatter"),
        List.of(CollectiveGroup.Kind.values()).stream()
            .filter(CollectiveGroup.Kind::isReduction)
            .map(CollectiveGroup.Kind::label)
            .toList());
    assertEquals("average", Reduction.AVERAGE.label());
  }
}
