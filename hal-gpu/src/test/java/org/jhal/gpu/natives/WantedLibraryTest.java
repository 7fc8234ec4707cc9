// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.jhal.HalException;
import org.jhal.Status;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Why a library was not found. */
class WantedLibraryTest {
  private static final WantedLibrary WANTED =
      new WantedLibrary("A library", "a product", "jhal.test.wanted", Status.UNIMPLEMENTED);

  /** Only a library that is missing or does not fit is a reason to do without it. */
  @ParameterizedTest
  @CsvSource({
    "No such file or directory, UNIMPLEMENTED",
    "Too many open files, RESOURCE_EXHAUSTED",
    "Cannot allocate memory, RESOURCE_EXHAUSTED"
  })
  void aLackOfResourcesDoesNotCountAsAMissingLibrary(String reason, Status status) {
    HalException failure =
        assertThrows(
            HalException.class,
            () ->
                WANTED.findAll(
                    List.of("liba.so", "libb.so"),
                    "a",
                    library -> true,
                    "",
                    name -> {
                      throw new UnsatisfiedLinkError(
                          "Unable to load library '"
                              + name
                              + "':\n"
                              + name
                              + ": cannot open shared object file: "
                              + reason);
                    }));
    assertEquals(status, failure.status());
    assertTrue(failure.getMessage().contains("liba.so"), failure::getMessage);
  }
}
