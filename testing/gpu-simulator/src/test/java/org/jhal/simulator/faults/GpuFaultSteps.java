// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.faults;

import java.nio.ByteBuffer;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceBuffer.MapMode;
import org.jhal.DeviceQueue;
import org.jhal.FillPattern;
import org.jhal.cts.faults.FaultStep;
import org.jhal.cts.faults.FaultSteps;
import org.jhal.cts.support.TestData;
import org.jspecify.annotations.Nullable;

/** Steps that run code of a GPU driver which the neutral workload does not reach. */
final class GpuFaultSteps {
  /** More than is staged at the issue, and more than a chunk. */
  private static final int LARGE = (2 << 20) + (300 << 10);

  private static final int SMALL = 256;

  private final Device device;
  private final Device other;
  private final FaultSteps steps = new FaultSteps();
  private final FaultStep<DeviceBuffer> large;
  private final FaultStep<DeviceBuffer> small;
  private final FaultStep<DeviceBuffer> pinned;
  private final FaultStep<DeviceBuffer> upload;
  private final FaultStep<DeviceBuffer> row;

  GpuFaultSteps(Device device, Device other) {
    this.device = device;
    this.other = other;
    this.large = allocate("large", LARGE, BufferParams.DEVICE);
    this.small = allocate("small", 3 * SMALL, BufferParams.DEVICE);
    this.pinned = allocate("pinned", SMALL, BufferParams.HOST);
    this.upload = allocate("upload", SMALL, BufferParams.HOST_UPLOAD);
    this.row = allocate("row", 4 * SMALL, BufferParams.DEVICE);
  }

  FaultSteps steps() {
    return steps;
  }

  private FaultStep<DeviceBuffer> allocate(String name, long bytes, BufferParams params) {
    return steps.make(name, device, () -> device.allocate(bytes, params));
  }

  void enqueue() throws InterruptedException {
    DeviceQueue first = device.queue(0);
    DeviceQueue second = device.queue(1);
    byte[] bytes = TestData.filled(LARGE, 21);
    FaultStep<Void> pageable =
        steps.enqueue(
            device,
            "upload in chunks",
            (w, s) -> first.upload(w, s, ByteBuffer.wrap(bytes), large.get(), 0),
            large);
    steps.read(second, large, bytes, pageable);

    FaultStep<Void> mapped = write(upload, 22);
    FaultStep<Void> copied = copy(second, upload, 0, mapped);
    FaultStep<Void> alsoMapped = write(pinned, 23);
    FaultStep<Void> pinnedUpload =
        steps.enqueue(
            device,
            "upload of pinned memory",
            (w, s) -> {
              try (DeviceBuffer.Mapping mapping = pinned.get().map(MapMode.READ)) {
                first.upload(w, s, mapping.bytes(), small.get(), SMALL);
              }
            },
            alsoMapped,
            small);
    FaultStep<Void> direct = // direct memory, which other code may have page-locked
        steps.enqueue(
            device,
            "upload of direct memory",
            (w, s) ->
                first.upload(
                    w, s, TestData.direct(TestData.filled(SMALL, 24)), small.get(), 2 * SMALL),
            small);
    byte[] expected = new byte[3 * SMALL];
    System.arraycopy(TestData.filled(SMALL, 22), 0, expected, 0, SMALL);
    System.arraycopy(TestData.filled(SMALL, 23), 0, expected, SMALL, SMALL);
    System.arraycopy(TestData.filled(SMALL, 24), 0, expected, 2 * SMALL, SMALL);
    steps.read(first, small, expected, copied, pinnedUpload, direct);

    FaultStep<DeviceBuffer> transientHost =
        steps.alloca(
            device, "transient host memory", (w, s) -> first.alloca(w, s, 64, BufferParams.HOST));
    steps.enqueue(
        device,
        "dealloca of it",
        (w, s) -> first.dealloca(w, s, transientHost.get()),
        transientHost);
    FaultStep<Void> behind =
        steps.enqueue(device, "something behind it", (w, s) -> first.barrier(w, s));
    steps.enqueue(device, "something behind that", (w, s) -> first.barrier(w, s), behind);
    copiesInARow(first, second);
    if (device.canAccess(other)) {
      peers(first, second);
    }
  }

  /** Where a runtime sets nodes in flight, all but the first are graphs of one node. */
  private void copiesInARow(DeviceQueue first, DeviceQueue second) {
    FaultStep<Void> last =
        steps.enqueue(
            device,
            "fill the row",
            (w, s) -> first.fill(w, s, row.get(), 0, SMALL, FillPattern.of8(26)),
            row);
    for (int i = 0; i < 3; i++) {
      long from = (long) i * SMALL;
      last =
          steps.enqueue(
              device,
              "copy " + i + " in the row",
              (w, s) -> first.copy(w, s, row.get(), from, row.get(), from + SMALL, SMALL),
              last);
    }
    steps.read(second, row, TestData.filled(4 * SMALL, 26), last);
  }

  /** A graph copies from memory of the other device. */
  private void peers(DeviceQueue first, DeviceQueue second) {
    FaultStep<DeviceBuffer> theirs =
        steps.make("theirs", other, () -> other.allocate(SMALL, BufferParams.DEVICE));
    FaultStep<DeviceBuffer> view =
        steps.make(
            "view of theirs", device, () -> device.allocator().importPeer(theirs.get()), theirs);
    FaultStep<DeviceBuffer> mine = allocate("mine", SMALL, BufferParams.DEVICE);
    FaultStep<CommandBuffer> recorded =
        steps.make("record a copy", device, () -> record(view.get(), mine.get()), view, mine);
    FaultStep<Void> last =
        steps.enqueue(
            other,
            "fill theirs",
            (w, s) -> other.queue(0).fill(w, s, theirs.get(), 0, SMALL, FillPattern.of8(25)),
            theirs);
    for (int i = 0; i < 3; i++) {
      last =
          steps.enqueue(
              device,
              "execute the copy",
              (w, s) -> first.execute(w, s, recorded.get()),
              recorded,
              last);
    }
    steps.read(second, mine, TestData.filled(SMALL, 25), last);
  }

  private CommandBuffer record(DeviceBuffer source, DeviceBuffer target) {
    CommandBuffer commands = device.createCommandBuffer(CommandBuffer.Mode.REUSABLE);
    try {
      commands.copy(source, 0, target, 0, SMALL);
      commands.end();
    } catch (Throwable t) {
      commands.close();
      throw t;
    }
    return commands;
  }

  private FaultStep<Void> write(FaultStep<DeviceBuffer> target, int value)
      throws InterruptedException {
    return steps.host(
        "write " + target.name,
        device,
        () -> {
          try (DeviceBuffer.Mapping mapping = target.get().map(MapMode.DISCARD_WRITE)) {
            mapping.bytes().put(TestData.filled(SMALL, value));
            mapping.flush();
          }
        },
        target);
  }

  private FaultStep<Void> copy(
      DeviceQueue queue, FaultStep<DeviceBuffer> source, long to, FaultStep<?> written) {
    return steps.enqueue(
        device,
        "copy " + source.name,
        (w, s) -> queue.copy(w, s, source.get(), 0, small.get(), to, SMALL),
        source,
        small,
        written);
  }

  /** Closes everything that the steps have created. */
  void close() {
    for (FaultStep<?> step : steps.all()) {
      @Nullable Object made = step.orNull();
      if (made instanceof DeviceBuffer buffer) {
        buffer.close();
      } else if (made instanceof CommandBuffer commands) {
        commands.close();
      }
      step.done.close();
    }
  }
}
