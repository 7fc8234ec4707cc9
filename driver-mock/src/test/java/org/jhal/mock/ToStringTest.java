// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jhal.Args;
import org.jhal.BindingTable;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.DeviceUri;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.HostCall;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.Registration;
import org.jhal.Slot;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.kernel.Workgroup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The toString() of every object that a program gets, open or closed. */
@Timeout(60)
class ToStringTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** The toString() of the objects that only a kernel or a host call sees, by their names. */
  private static final Map<String, String> SEEN = new LinkedHashMap<>();

  private final MockDriver driver = new MockDriver("mock");
  @TempDir private Path folder;

  /** The kernels of the test's bundle. */
  public static final class Kernels {
    private Kernels() {}

    /** Records the toString() of its arguments. */
    public static void look(Workgroup group) {
      SEEN.put("workgroup", group.toString());
      SEEN.put("kernel memory", group.memory(0).toString());
    }
  }

  private Executable load(Device device) throws Exception {
    Files.writeString(
        folder.resolve("manifest.json"),
        """
        {"version": 1, "name": "looks",
         "kernels": [{"name": "look", "workgroupSize": [1],
                      "parameters": [{"name": "x", "kind": "buffer", "type": "u8",
                                      "direction": "inout"}]}],
         "variants": [{"format": "java", "class": "%s"}]}
        """
            .formatted(Kernels.class.getName()));
    return device.loadExecutable(ExecutableSource.of(folder));
  }

  @Test
  void objectsThatADeviceCreatesPrintTheirDevice() throws Exception {
    Device device = driver.open(DeviceUri.parse("mock"));
    DeviceQueue queue = device.queue(1);
    Executable executable = load(device);
    Kernel kernel = executable.kernel("look");
    DeviceBuffer buffer = device.allocate(16, BufferParams.HOST);
    DeviceBuffer slice = buffer.slice(4, 8);
    DeviceBuffer.Mapping mapping = slice.map(DeviceBuffer.MapMode.READ);
    CommandBuffer recording = device.createCommandBuffer(CommandBuffer.Mode.REUSABLE);
    BindingTable table = new BindingTable(2).set(1, slice);

    assertEquals("driver mock", driver.toString());
    for (int round = 0; round < 2; round++) {
      assertEquals("mock-0", device.toString());
      assertEquals("mock-0-q1", queue.toString());
      assertEquals("allocator of mock-0", device.allocator().toString());
      assertEquals("executable looks of mock-0", executable.toString());
      assertEquals("looks:look", kernel.toString());
      assertEquals("buffer of 16 bytes of mock-0", buffer.toString());
      assertEquals("slice of 8 bytes of mock-0", slice.toString());
      assertEquals("READ mapping of 8 bytes of slice of 8 bytes of mock-0", mapping.toString());
      assertEquals("[null, slice of 8 bytes of mock-0]", table.toString());
      assertEquals("[7, " + buffer + "]", Args.of(7, buffer).toString());
      assertEquals(
          "command buffer of mock-0, REUSABLE, " + (round == 0 ? "RECORDING" : "CLOSED"),
          recording.toString());
      mapping.close();
      recording.close();
      buffer.close();
      executable.close();
      device.close();
    }
  }

  @Test
  void timelinesAndCallbacksPrintTheirNames() {
    try (Device device = driver.open(DeviceUri.parse("mock"));
        TimelineSemaphore first = device.createSemaphore(0);
        TimelineSemaphore second = device.createSemaphore(0)) {
      String name = first.toString();
      assertEquals("semaphore#", name.replaceAll("[0-9]+$", ""));
      assertEquals(name + "@3", first.at(3).toString());
      assertEquals(
          "[" + name + "@3, " + second + "@4]", Fence.of(first.at(3), second.at(4)).toString());
      assertEquals("[]", Fence.NONE.toString());
      Registration registration = first.onReach(3, failure -> {});
      assertEquals("callback on " + name, registration.toString());
      first.close();
      assertEquals(name, first.toString());
      assertEquals("callback on " + name, registration.toString());
    }
  }

  @Test
  void contextsOfKernelsAndHostCallsPrintWhatTheyAre() throws Exception {
    try (Device device = driver.open(DeviceUri.parse("mock"));
        Executable executable = load(device);
        DeviceBuffer buffer = device.allocate(16, BufferParams.DEVICE);
        TimelineSemaphore timeline = device.createSemaphore(0)) {
      DeviceQueue queue = device.queue(0);
      queue.dispatch(
          Fence.NONE,
          timeline.at(1),
          executable.kernel("look"),
          new Workgroups(1, 1, 1),
          Args.of(buffer.slice(0, 5)));
      queue.hostCall(
          timeline.at(1),
          timeline.at(2),
          HostCall.Mode.BLOCKING,
          context -> {
            SEEN.put("context", context.toString());
            HostCall.Completion completion = context.defer();
            SEEN.put("completion", completion.toString());
            completion.complete();
          });
      timeline.await(2, PATIENCE);
    }
    assertEquals(
        Map.of(
            "workgroup",
            "workgroup 0,0,0",
            "kernel memory",
            "memory of 5 bytes",
            "context",
            "host call of mock-0-q0",
            "completion",
            "host call of mock-0-q0"),
        SEEN);
  }

  @Test
  void objectsThatAProgramCreatesPrintTheirContent() {
    assertEquals("heap memory of 12 bytes", HostMemory.of(new int[3]).toString());
    ByteBuffer bytes = ByteBuffer.allocateDirect(5).asReadOnlyBuffer();
    assertEquals("read-only direct memory of 5 bytes", HostMemory.of(bytes).toString());
    assertEquals("Slot[index=1, offset=2, length=-1]", new Slot(1, 2, Slot.WHOLE).toString());
    assertEquals(folder.toString(), ExecutableSource.of(folder).toString());
    assertEquals("mock://1?seed=7", DeviceUri.parse("mock://1?seed=7").toString());
  }
}
