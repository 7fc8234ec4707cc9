// SPDX-License-Identifier: Apache-2.0
package org.jhal.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DurationTextTest {
  @ParameterizedTest
  @CsvSource({
    "PT0S, 0 s",
    "PT2S, 2 s",
    "PT60S, 60 s",
    "PT1H, 3600 s",
    "PT0.3S, 0.3 s",
    "PT0.020S, 0.02 s",
    "PT0.000000001S, 0.000000001 s",
    "PT100.5S, 100.5 s",
    "PT-0.5S, -0.5 s",
    "PT2562047788015215H30M7S, 9223372036854775807 s",
  })
  void isInSeconds(Duration duration, String text) {
    assertEquals(text, DurationText.of(duration));
  }
}
