// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DiskSpaceTest {
  private static final Path FOLDER = Path.of("temporary");
  private static final long MB = 1 << 20;

  private static long limit(@Nullable String asked, long usable) {
    return DiskSpace.forRecording(asked, usable, FOLDER);
  }

  private static String refused(@Nullable String asked, long usable) {
    HalException refused = assertThrows(HalException.class, () -> limit(asked, usable));
    assertEquals(Status.RESOURCE_EXHAUSTED, refused.status(), refused::toString);
    return String.valueOf(refused.getMessage());
  }

  @Test
  void leavesHalfOfTheSpaceFreeByDefault() {
    assertEquals(1024 * MB, limit(null, 1L << 50));
    assertEquals(1024 * MB, limit(null, 8192 * MB));
    assertEquals(100 * MB, limit(null, 400 * MB));
    assertEquals(DiskSpace.LEAST, limit(null, 64 * MB), "the smallest limit");
  }

  @Test
  void acceptsANumberWithAUnit() {
    assertEquals(200 * MB, limit("200m", 400 * MB));
    assertEquals(200 * MB, limit("200M", 400 * MB));
    assertEquals(2048 * MB, limit("2g", 8192 * MB));
    assertEquals(33_554_432, limit("33554432", 8192 * MB));
    for (String wrong : new String[] {"", "m", "-1m", "1.5g", "10 m", "10mb", "0x10"}) {
      assertThrows(IllegalArgumentException.class, () -> limit(wrong, 8192 * MB), wrong);
    }
    assertThrows(IllegalArgumentException.class, () -> limit("31m", 8192 * MB));
  }

  @Test
  void refusesAFolderWithoutEnoughSpace() {
    String message = refused("200m", 399 * MB);
    assertTrue(message.contains("'temporary', has 399 MB left"), message);
    assertTrue(message.contains("at most 200 MB"), message);
    refused(null, 63 * MB);
    refused("999999999999999t", Long.MAX_VALUE);
  }
}
