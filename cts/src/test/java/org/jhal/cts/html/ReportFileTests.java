// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.html;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whether a report can be written is checked before there is one. */
class ReportFileTests {
  @TempDir private Path folder;

  @Test
  void aNewFileIsNotLeftBehind() throws IOException {
    Path file = folder.resolve("new.json");
    ReportFile.checkWritable(file);
    assertFalse(Files.exists(file));
  }

  @Test
  void anOldFileKeepsItsContent() throws IOException {
    Path file = Files.writeString(folder.resolve("old.json"), "results");
    ReportFile.checkWritable(file);
    assertEquals("results", Files.readString(file));
  }

  @Test
  void anUnwritableFileIsReported() {
    Path missing = folder.resolve("missing").resolve("new.json");
    assertThrows(NoSuchFileException.class, () -> ReportFile.checkWritable(missing));
    IOException thrown = assertThrows(IOException.class, () -> ReportFile.checkWritable(folder));
    assertTrue(String.valueOf(thrown.getMessage()).endsWith("is a folder"), thrown::toString);
  }
}
