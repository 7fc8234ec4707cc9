// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine;

import static org.jhal.engine.queue.FailureAssert.assertFailure;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jhal.BufferParams;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.engine.queue.FakeStream.Event;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A driver is never asked for more than its device's limits (rule M5). */
@Timeout(60)
class DeviceLimitsTest {
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final long LARGEST = 1 << 24;
  private static final String TOO_LARGE =
      "buffer of 16777217 bytes exceeds the largest allocation of DEVICE memory on fake-0,"
          + " which is 16777216";

  @TempDir private Path folder;

  private final FakeBackend backend = new FakeBackend();
  private final EngineDevice<Event> device = backend.open(1, LONG);

  @AfterEach
  void close() {
    device.close();
    assertEquals(0, backend.liveMemory.get());
    assertEquals(List.of(), backend.device.violations());
  }

  private static void assertRefused(HalException refused, Status status, String message) {
    assertFailure(new HalException(status, message), refused);
  }

  @Test
  void allocatesTheLargestBufferAndRefusesALargerOne() {
    device.allocate(LARGEST, BufferParams.DEVICE).close();
    assertRefused(
        assertThrows(HalException.class, () -> device.allocate(LARGEST + 1, BufferParams.DEVICE)),
        Status.RESOURCE_EXHAUSTED,
        TOO_LARGE);
    device.allocate(LARGEST + 1, BufferParams.HOST).close(); // host memory has no such limit
  }

  @Test
  void anAllocaBeyondTheLimitFailsItsSignals() throws Exception {
    try (TimelineSemaphore done = device.createSemaphore(0);
        TimelineSemaphore failed = device.createSemaphore(0);
        DeviceBuffer largest =
            device.queue(0).alloca(Fence.NONE, done.at(1), LARGEST, BufferParams.DEVICE);
        DeviceBuffer larger =
            device.queue(0).alloca(Fence.NONE, failed.at(1), LARGEST + 1, BufferParams.DEVICE)) {
      done.await(1, LONG);
      assertRefused(
          assertThrows(HalException.class, () -> failed.await(1, LONG)),
          Status.RESOURCE_EXHAUSTED,
          TOO_LARGE);
    }
  }

  private Executable load(String workgroupSize, String format) throws IOException {
    Files.writeString(
        folder.resolve("manifest.json"),
        """
        {"version": 1, "name": "nothing",
         "kernels": [{"name": "f", "parameters": [], "workgroupSize": [%s]}],
         "variants": [{"format": "%s", "file": "f"}]}
        """
            .formatted(workgroupSize, format));
    return device.loadExecutable(ExecutableSource.of(folder));
  }

  @ParameterizedTest
  @ValueSource(strings = {"64", "1, 32", "16, 1, 4", "1, 16, 4"})
  void workgroupsUpToTheLimitsAreLoaded(String size) throws IOException {
    load(size, "fake").close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"65,1,1", "1,33,1", "1,1,5", "32,3,1", "64,32,4"})
  void workgroupsBeyondALimitAreRefused(String size) {
    int items = 1;
    for (String axis : size.split(",", -1)) {
      items *= Integer.parseInt(axis);
    }
    assertRefused(
        assertThrows(HalException.class, () -> load(size, "fake")),
        Status.OUT_OF_RANGE,
        "kernel 'f' of nothing has workgroups of "
            + size
            + ", "
            + items
            + " work items; fake-0 takes at most 64,32,4, and 64 work items");
  }

  @Test
  void anUnsupportedFormatIsReportedFirst() {
    assertEquals(
        Status.UNIMPLEMENTED, assertThrows(HalException.class, () -> load("65", "other")).status());
  }
}
