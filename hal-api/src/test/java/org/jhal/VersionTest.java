// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.jhal.spi.DriverProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rule D4: which versions of the API and the SPI are compatible. */
class VersionTest {
  @ParameterizedTest
  @CsvSource({"1.3, 1.3", "1.2, 1.3", "1.0, 1.3", "1.9, 1.10", "0.0, 0.1"})
  void acceptsAnOlderMinorVersion(String theirs, String ours) {
    assertNull(Version.refusal("API", theirs, ours));
  }

  @ParameterizedTest
  @CsvSource({"1.4, 1.3", "1.10, 1.9", "2.0, 1.3", "0.9, 1.3", "0.3, 1.3", "10.0, 1.0"})
  void refusesAnyOtherVersionAndNamesBoth(String theirs, String ours) {
    assertEquals(
        "made for SPI version " + theirs + ", this JHAL has version " + ours,
        Version.refusal("SPI", theirs, ours));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1", "1.", "1.2.3", "v1.2", "-1.0", "1.9999999999"})
  void refusesAMalformedVersion(String theirs) {
    assertEquals(
        "its API version '" + theirs + "' is not of the form MAJOR.MINOR",
        Version.refusal("API", theirs, "1.0"));
  }

  @Test
  void acceptsJhalsOwnVersions() {
    for (String ours : new String[] {DriverProvider.API_VERSION, DriverProvider.SPI_VERSION}) {
      assertNull(Version.refusal("API", ours, ours));
      assertNotNull(Version.refusal("API", ours + "1", ours), "one of the future");
    }
  }
}
