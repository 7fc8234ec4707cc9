// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jhal.HalException;
import org.jhal.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The engine without recordings: the tests of this module run without hal-recording. */
class JournalModuleTest {
  private static void assertUnavailable(HalException failure, String... parts) {
    assertEquals(Status.UNAVAILABLE, failure.status(), failure.getMessage());
    for (String part : parts) {
      assertTrue(failure.getMessage().contains(part), failure.getMessage());
    }
  }

  @Test
  void theMissingJarIsNamed() {
    for (int i = 0; i < 2; i++) {
      assertUnavailable(
          assertThrows(HalException.class, JournalModule::require),
          "the jar hal-recording",
          "is missing",
          "org.jhal:hal-recording");
    }
  }

  /** As with jars of two versions. */
  @Test
  void aProviderThatCannotBeLoadedIsNamed(@TempDir Path folder) throws Exception {
    Path services = Files.createDirectories(folder.resolve("META-INF/services"));
    Files.writeString(services.resolve(Journals.class.getName()), "org.example.Missing\n");
    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {folder.toUri().toURL()}, Journals.class.getClassLoader())) {
      assertUnavailable(
          assertThrows(HalException.class, () -> JournalModule.find(loader)),
          "the jar hal-recording",
          "cannot be loaded",
          "org.example.Missing");
    }
  }
}
