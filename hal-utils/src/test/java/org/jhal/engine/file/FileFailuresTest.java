// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jhal.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is made of that which a file channel throws. */
class FileFailuresTest {
  private static final String FULL = "No space left on device";

  @Test
  void aFullDiskIsKnownByItsMessage() {
    assertEquals(
        Status.RESOURCE_EXHAUSTED, FileFailures.of("a file", new IOException(FULL)).status());
    assertEquals(
        Status.ABORTED, FileFailures.of("a file", new IOException("no space suit")).status());
    assertEquals(
        Status.NOT_FOUND, FileFailures.of("a file", new NoSuchFileException("a")).status());
  }

  @Test
  void anInterruptDoesNotHideForEverWhatAFullDiskSays() throws IOException {
    Path always = Path.of("/dev/full");
    assumeTrue(Files.exists(always), "there is no /dev/full");
    Thread.currentThread().interrupt();
    try {
      assertNull(FileFailures.fullMessage(always));
    } finally {
      boolean ignored = Thread.interrupted();
    }
    assertNotNull(FileFailures.fullMessage(always));
  }

  @Test
  void aFileThatIsMissingOrTakesTheWriteSaysNothing(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("file");
    assertNull(FileFailures.fullMessage(file));
    Files.createFile(file);
    assertNull(FileFailures.fullMessage(file));
  }
}
