// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import static org.jhal.CommandBuffer.Mode.REUSABLE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceInfo;
import org.jhal.DeviceUri;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.Workgroups;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Times of operations on the device. */
@Timeout(120)
class TimesTest {
  private static final String URI = "vulkan://0?queues=1";
  private static final String EXECUTION = "org.jhal.Execution";
  private static final String COMMAND = "org.jhal.CommandExecution";
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int LARGE = 64 << 20;

  /** Kernels that read what the first buffer holds and write the second. */
  private static final List<String> KERNELS = List.of("absolute", "negate", "twice");

  /**
   * What was recorded of an operation on the device.
   *
   * @param beganAgo how long before its event
   */
  private record Ran(Duration beganAgo, Duration took, Duration error) {}

  /** A program to record. */
  private interface Program {
    void run(Device device, TimelineSemaphore done) throws Exception;
  }

  @TempDir private Path folder;

  private List<Ran> record(Program program) throws Exception {
    return record(EXECUTION, program);
  }

  private List<Ran> record(String kind, Program program) throws Exception {
    List<DeviceInfo> infos = OpenVulkan.driver().devices(DeviceUri.parse(URI));
    PhysicalDevice physical =
        VulkanInstance.get(false).devices().require().usable().get(infos.get(0).index());
    String obstacle = DeviceTimes.obstacle(physical);
    assumeTrue(obstacle == null, () -> "times cannot be measured: " + obstacle);
    Path file = folder.resolve("recording.jfr");
    try (Recording recording = new Recording()) {
      recording.enable(kind);
      recording.start();
      try (Device device = OpenVulkan.open(URI);
          TimelineSemaphore done = device.createSemaphore(0)) {
        program.run(device, done);
      }
      recording.stop();
      recording.dump(file);
    }
    return RecordingFile.readAllEvents(file).stream()
        .filter(event -> event.getEventType().getName().equals(kind))
        .map(
            event ->
                new Ran(
                    event.getDuration("beganAgo"),
                    event.getDuration("took"),
                    event.getDuration("error")))
        .toList();
  }

  @Test
  void workTakesNoLongerThanTheHostWaits() throws Exception {
    List<Duration> waited = new ArrayList<>();
    List<Ran> ran =
        record(
            (device, done) -> {
              try (DeviceBuffer buffer = device.allocate(LARGE, BufferParams.DEVICE)) {
                for (int i = 1; i <= 5; i++) {
                  long start = System.nanoTime();
                  FillPattern pattern = FillPattern.of32(i);
                  device.queue(0).fill(Fence.NONE, done.at(i), buffer, 0, LARGE, pattern);
                  done.await(i, PATIENCE);
                  waited.add(Duration.ofNanos(System.nanoTime() - start));
                }
              }
            });
    assertEquals(waited.size(), ran.size(), ran::toString);
    for (int i = 0; i < waited.size(); i++) {
      Ran each = ran.get(i);
      String what = each + ", and the host waited for " + waited.get(i);
      assertTrue(each.took.compareTo(Duration.ZERO) > 0, what);
      assertTrue(each.took.minus(each.error).compareTo(waited.get(i)) <= 0, what);
      assertTrue(each.beganAgo.plus(each.error).compareTo(each.took) >= 0, what);
    }
  }

  @Test
  void eachCommandOfARecordingHasItsTime() throws Exception {
    List<Ran> ran =
        record(
            COMMAND,
            (device, done) -> {
              try (DeviceBuffer one = device.allocate(LARGE, BufferParams.DEVICE);
                  DeviceBuffer two = device.allocate(LARGE, BufferParams.DEVICE);
                  CommandBuffer commands = device.createCommandBuffer(REUSABLE)) {
                commands.fill(one, 0, LARGE, FillPattern.of32(7));
                commands.barrier();
                commands.copy(one, 0, two, 0, LARGE);
                commands.end();
                for (int i = 1; i <= 4; i++) {
                  device.queue(0).execute(done.at(i - 1), done.at(i), commands);
                  done.await(i, PATIENCE);
                }
                int[] found = new int[LARGE / Integer.BYTES];
                device.queue(0).readback(done.at(4), done.at(5), two, 0, HostMemory.of(found));
                done.await(5, PATIENCE);
                assertEquals(7, found[found.length - 1]);
              }
            });
    assertEquals(8, ran.size(), ran::toString);
    for (Ran each : ran) {
      assertTrue(each.took.compareTo(Duration.ZERO) > 0, each::toString);
    }
  }

  /**
   * A runtime that translates kernels at their first dispatch does so in front of the times.
   * Otherwise, each first dispatch would take nearly all of what the host waits for it. One of
   * several has to show that it does not: the thread that computes the others may have lost its
   * processor meanwhile.
   */
  @Test
  void timesAreWithoutTheTranslationOfAKernel() throws Exception {
    List<Duration> waited = new ArrayList<>();
    List<Ran> ran =
        record(
            (device, done) -> {
              ExecutableSource source =
                  ExecutableSource.ofResources(VulkanCtsBackend.class, "kernels");
              try (Executable executable = device.loadExecutable(source);
                  DeviceBuffer buffer = device.allocate(1 << 10, BufferParams.DEVICE)) {
                Args args = Args.of(buffer, buffer);
                for (String name : KERNELS) {
                  Kernel kernel = executable.kernel(name);
                  for (int i = 0; i < 2; i++) {
                    long start = System.nanoTime();
                    Timepoint end = done.at(waited.size() + 1);
                    device.queue(0).dispatch(Fence.NONE, end, kernel, Workgroups.of(1), args);
                    done.await(end.value(), PATIENCE);
                    waited.add(Duration.ofNanos(System.nanoTime() - start));
                  }
                }
              }
            });
    assertEquals(waited.size(), ran.size(), ran::toString);
    int translated = 0;
    int without = 0;
    for (int first = 0; first < ran.size(); first += 2) {
      if (waited.get(first).compareTo(waited.get(first + 1).multipliedBy(5)) > 0) {
        translated++;
        Duration took = ran.get(first).took;
        if (took.multipliedBy(2).compareTo(waited.get(first)) < 0) {
          without++;
        }
      }
    }
    assumeTrue(translated > 0, () -> "no kernel is translated at its first dispatch: " + waited);
    assertTrue(without > 0, () -> ran + " of " + waited);
  }
}
