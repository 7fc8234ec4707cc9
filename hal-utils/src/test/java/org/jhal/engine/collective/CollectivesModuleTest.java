// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ServiceConfigurationError;
import org.jhal.BufferParams;
import org.jhal.CollectiveGroup;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.engine.EngineDevice;
import org.jhal.engine.InstantBackend;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The engine without collectives: the tests of this module run without hal-collectives. */
@Timeout(60)
class CollectivesModuleTest {
  private static void assertUnavailable(HalException failure, String... parts) {
    assertEquals(Status.UNAVAILABLE, failure.status(), failure.getMessage());
    for (String part : parts) {
      assertTrue(failure.getMessage().contains(part), failure.getMessage());
    }
  }

  /** A second group is refused in the same way, and neither device is harmed. */
  @Test
  void aGroupNamesTheMissingJar() throws Exception {
    InstantBackend backend = new InstantBackend();
    try (EngineDevice<Object> device = backend.open(1);
        EngineDevice<Object> other = new InstantBackend().open(1)) {
      for (int i = 0; i < 2; i++) {
        assertUnavailable(
            assertThrows(HalException.class, () -> CollectiveGroup.of(device, other)),
            "the jar hal-collectives",
            "is missing",
            "org.jhal:hal-collectives");
      }
      assertNull(device.lostCause());
      assertNull(other.lostCause());
      try (TimelineSemaphore done = device.createSemaphore();
          DeviceBuffer buffer = device.allocate(16, BufferParams.DEVICE)) {
        device.queue(0).fill(Fence.NONE, done.at(1), buffer, 0, 16, FillPattern.ZERO);
        done.await(1, Duration.ofSeconds(30));
      }
    }
    assertEquals(0, backend.misuses.size(), () -> "" + backend.misuses);
  }

  /** As with jars of two versions. */
  @Test
  void aProviderThatCannotBeLoadedIsNamed(@TempDir Path folder) throws Exception {
    Path services = Files.createDirectories(folder.resolve("META-INF/services"));
    Files.writeString(services.resolve(Collectives.class.getName()), "org.example.Missing\n");
    try (URLClassLoader loader =
        new URLClassLoader(
            new URL[] {folder.toUri().toURL()}, Collectives.class.getClassLoader())) {
      assertUnavailable(
          assertThrows(HalException.class, () -> CollectivesModule.find(loader)),
          "the jar hal-collectives",
          "cannot be loaded",
          "org.example.Missing");
    }
  }

  /** The call is refused with what was thrown, and the next one looks again. */
  @Test
  void aLackOfStackSaysNothingAboutTheJar() {
    StackOverflowError lack = new StackOverflowError();
    Error wrapped = new ServiceConfigurationError("the provider cannot be made", lack);
    assertSame(
        lack,
        assertThrows(StackOverflowError.class, () -> CollectivesModule.unusable(wrapped).again()));
  }
}
