// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.collective;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.jhal.HalException;
import org.jhal.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Variables that make launches wait, and groups. */
class LaunchBlockingTest {
  private static final List<String> VARIABLES = List.of("ONE_BLOCKING", "OTHER_SERIALIZE");

  @ParameterizedTest
  @CsvSource({"ONE_BLOCKING, 1", "OTHER_SERIALIZE, 3", "OTHER_SERIALIZE, 2"})
  void refusesGroupsOfSeveralRanksIfLaunchesWait(String variable, String value) {
    Map<String, String> environment = Map.of(variable, value);
    HalException refusal =
        assertThrows(HalException.class, () -> LaunchBlocking.check(2, VARIABLES, environment));
    assertEquals(Status.UNIMPLEMENTED, refusal.status());
    assertTrue(refusal.getMessage().contains(variable + "=" + value), refusal::toString);
    assertDoesNotThrow(() -> LaunchBlocking.check(1, VARIABLES, environment));
  }

  @Test
  void acceptsGroupsIfLaunchesDoNotWait() {
    assertDoesNotThrow(() -> LaunchBlocking.check(2, VARIABLES, Map.of()));
    assertDoesNotThrow(
        () ->
            LaunchBlocking.check(
                2,
                VARIABLES,
                Map.of("ONE_BLOCKING", "0", "OTHER_SERIALIZE", "", "ELSE_BLOCKING", "1")));
  }
}
