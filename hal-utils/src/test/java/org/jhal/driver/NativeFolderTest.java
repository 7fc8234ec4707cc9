// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whether native code may be loaded from a folder. */
class NativeFolderTest {
  private static final List<String> MOUNTS =
      List.of(
          "22 1 0:21 / / rw,relatime - ext4 /dev/sda1 rw",
          "23 22 0:22 / /tmp rw,nosuid,noexec shared:1 - tmpfs tmpfs rw",
          "24 23 0:23 / /tmp/a\\040b rw,exec - tmpfs tmpfs rw",
          "25 22 0:24 / /twice rw,noexec - tmpfs tmpfs rw",
          "26 25 0:25 / /twice rw - tmpfs tmpfs rw",
          "");

  @ParameterizedTest
  @CsvSource({
    "/, false",
    "/home, false",
    "/tmp, true",
    "/tmp/x/y, true",
    "/tmpfs, false",
    "/tmp/a b, false",
    "/twice, false"
  })
  void theNearestAndLastMountDecides(Path folder, boolean isNoexec) {
    assertEquals(isNoexec, NativeFolder.isMountedNoexec(folder, MOUNTS));
  }

  @Test
  void thereIsNoObstacleWhereTestsRun(@TempDir Path folder) {
    assertEquals("", NativeFolder.obstacle(folder.resolve("missing"), "java.io.tmpdir"));
  }
}
