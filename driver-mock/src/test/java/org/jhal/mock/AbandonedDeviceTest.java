package org.jhal.mock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A kernel that outlives the close of its device, while a queue of another device waits for it. */
@Timeout(60)
class AbandonedDeviceTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(LIMIT.toSeconds(), TimeUnit.SECONDS), "the test has not gone on");
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void fill(Device device, DeviceBuffer buffer, Fence wait, Fence done) {
    device.queue(0).fill(wait, done, buffer, 0, 4, FillPattern.of8(1));
  }

  /** With a seed, a stream polls what its batches wait for. */
  @ParameterizedTest
  @ValueSource(strings = {"", "&seed=7"})
  void theOtherStreamGetsPastItsEvent(String option) throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    ExecutableSource source =
        ExecutableSource.builder("long")
            .kernel("long", Workgroups.of(1), 0)
            .java("long", group -> await(end))
            .build();
    try (Device other = Hal.openDevice("mock://1?devices=2&close-timeout=10s" + option);
        TimelineSemaphore done = other.createSemaphore();
        TimelineSemaphore next = other.createSemaphore();
        DeviceBuffer buffer = other.allocate(4, BufferParams.DEVICE)) {
      Device device = Hal.openDevice("mock://0?devices=2&close-timeout=100ms");
      Executable kernels = device.loadExecutable(source);
      TimelineSemaphore ran = device.createSemaphore();
      device
          .queue(0)
          .dispatch(Fence.NONE, ran.at(1), kernels.kernel("long"), Workgroups.of(1), Args.of());
      fill(other, buffer, ran.at(1), done.at(1));
      device.close();
      try {
        HalException failure = assertThrows(HalException.class, () -> done.await(1, LIMIT));
        assertEquals(Status.DEADLINE_EXCEEDED, failure.status(), failure::getMessage);
        fill(other, buffer, Fence.NONE, next.at(1));
        next.await(1, LIMIT);
        assertNull(other.lostCause());
      } finally {
        end.countDown();
      }
    }
  }
}
