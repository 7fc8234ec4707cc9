// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.Args;
import org.jhal.BindingTable;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.CollectiveGroup;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceBuffer.MapMode;
import org.jhal.DeviceQueue;
import org.jhal.DeviceStatistics;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HostCall;
import org.jhal.IndirectWorkgroups;
import org.jhal.Reduction;
import org.jhal.Slot;
import org.jhal.Workgroups;
import org.jhal.cts.kernels.CtsKernels;
import org.jhal.cts.support.TestData;
import org.jhal.cts.support.Waits;
import org.jspecify.annotations.Nullable;

/**
 * Steps of every kind, on two queues of the device under test and on those of another device, which
 * together make every native call. Each step writes a separate block, so that the data of a
 * successful readback is known even if other steps failed.
 */
public final class FaultWorkload {
  private static final int BLOCK = 64;
  private static final Workgroups INTS = Workgroups.of(BLOCK / 4);

  private final Device device;
  private final Device other;
  private final DeviceQueue first;
  private final DeviceQueue second;
  private final FaultSteps steps = new FaultSteps();
  private final List<FaultStep<? extends AutoCloseable>> owned = new ArrayList<>();
  private final FaultStep<Void> go;
  private final FaultStep<Executable> kernels; // open until the device is closed
  private final FaultStep<DeviceBuffer> kept; // open until the device is closed
  private final FaultStep<DeviceBuffer> shared; // the host maps it at the end
  private @Nullable FaultStep<CollectiveGroup> madeGroup; // open until all steps have ended
  private final List<FaultStep<?>> sharedWriters = new ArrayList<>();
  private final AtomicInteger importsReleased = new AtomicInteger();
  private final AtomicInteger expectedReleases = new AtomicInteger();

  /**
   * Creates the resources of the steps.
   *
   * @param hostVisible the parameters for memory that both the host and the device access
   */
  public FaultWorkload(Device device, Device other, BufferParams hostVisible) {
    this.device = device;
    this.other = other;
    this.first = device.queue(0);
    this.second = device.queue(1);
    this.go = new FaultStep<>("go", device);
    ExecutableSource source = ExecutableSource.ofResources(CtsKernels.class, "kernels");
    this.kernels = steps.make("load", device, () -> device.loadExecutable(source));
    this.kept =
        steps.make("allocate kept", device, () -> device.allocate(BLOCK, BufferParams.DEVICE));
    this.shared = allocate("shared", 4, hostVisible);
  }

  /** All steps so far. */
  public List<FaultStep<?>> steps() {
    return steps.all();
  }

  private FaultStep<DeviceBuffer> allocate(String name, int blocks, BufferParams params) {
    return own(steps.make(name, device, () -> device.allocate((long) blocks * BLOCK, params)));
  }

  private <T extends AutoCloseable> FaultStep<T> own(FaultStep<T> step) {
    owned.add(step);
    return step;
  }

  /** Values for {@link FaultSteps#read}, each repeated over a block. */
  private static byte[] blocks(int... values) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int value : values) {
      bytes.writeBytes(TestData.filled(BLOCK, value));
    }
    return bytes.toByteArray();
  }

  private FaultStep<Void> fill(
      DeviceQueue queue,
      FaultStep<DeviceBuffer> target,
      int block,
      int value,
      FaultStep<?>... needs) {
    return steps.enqueue(
        queue.device(),
        "fill block " + block + " of " + target.name,
        (w, s) ->
            queue.fill(w, s, target.get(), (long) block * BLOCK, BLOCK, FillPattern.of8(value)),
        needs);
  }

  private FaultStep<Void> copy(
      DeviceQueue queue,
      FaultStep<DeviceBuffer> source,
      int from,
      FaultStep<DeviceBuffer> target,
      int to,
      FaultStep<?>... needs) {
    return steps.enqueue(
        queue.device(),
        "copy block " + from + " of " + source.name + " to " + to + " of " + target.name,
        (w, s) ->
            queue.copy(
                w, s, source.get(), (long) from * BLOCK, target.get(), (long) to * BLOCK, BLOCK),
        needs);
  }

  /** Doubles the ints of a block, and writes them to the next block. */
  private FaultStep<Void> twice(
      DeviceQueue queue, FaultStep<DeviceBuffer> buffer, int block, FaultStep<?>... needs) {
    return steps.enqueue(
        device,
        "dispatch on block " + block + " of " + buffer.name,
        (w, s) ->
            queue.dispatch(
                w,
                s,
                kernels.get().kernel("twice"),
                INTS,
                Args.of(
                    buffer.get().slice((long) block * BLOCK, BLOCK),
                    buffer.get().slice((block + 1L) * BLOCK, BLOCK))),
        needs);
  }

  // The script.

  /** Enqueues everything. Work that waits for {@link #release} is parked until then. */
  public void enqueue() throws InterruptedException {
    FaultStep<DeviceBuffer> a = allocate("a", 5, BufferParams.DEVICE);
    FaultStep<Void> executed = executeDirect(a);
    commands(a, executed);
    if (device.capabilities().contains(Capability.INDIRECT_DISPATCH)) {
      indirect();
    }
    executeWithTables();
    transients();
    hostCalls();
    external();
    devices(a, executed);
    groups();
    mapAndWrite();
    FaultStep<Void> parked = fill(second, kept, 0, 12, kept, go);
    steps.read(first, kept, blocks(12), parked);
  }

  private FaultStep<Void> executeDirect(FaultStep<DeviceBuffer> a) {
    FaultStep<CommandBuffer> recorded =
        own(
            steps.make(
                "record",
                device,
                () -> {
                  CommandBuffer commands = device.createCommandBuffer(CommandBuffer.Mode.ONE_SHOT);
                  try {
                    commands.fill(a.get(), 0, BLOCK, FillPattern.of8(1));
                    commands.barrier();
                    commands.copy(a.get(), 0, a.get(), BLOCK, BLOCK);
                    commands.end();
                  } catch (Throwable t) {
                    commands.close();
                    throw t;
                  }
                  return commands;
                },
                a));
    return steps.enqueue(
        device, "execute", (w, s) -> first.execute(w, s, recorded.get()), recorded, a);
  }

  private void commands(FaultStep<DeviceBuffer> a, FaultStep<Void> executed) {
    FaultStep<Void> barrier = steps.enqueue(device, "barrier", second::barrier, executed);
    FaultStep<Void> dispatched = twice(second, a, 1, barrier, a, kernels);
    ByteBuffer five = ByteBuffer.wrap(blocks(5));
    FaultStep<Void> updated =
        steps.enqueue(device, "update", (w, s) -> first.update(w, s, five, a.get(), 3 * BLOCK), a);
    FaultStep<Void> filled = fill(second, a, 4, 6, a);
    steps.read(first, a, blocks(1, 1, 2, 5, 6), dispatched, updated, filled);
  }

  /** A dispatch whose grid another queue writes. */
  private void indirect() {
    FaultStep<DeviceBuffer> d = allocate("d", 3, BufferParams.DEVICE);
    ByteBuffer grid = ByteBuffer.wrap(TestData.ints(INTS.x(), 1, 1));
    FaultStep<Void> counts =
        steps.enqueue(
            device, "update of a grid", (w, s) -> second.update(w, s, grid, d.get(), 0), d);
    FaultStep<Void> filled = fill(first, d, 1, 3, d);
    FaultStep<Void> dispatched =
        steps.enqueue(
            device,
            "indirect dispatch",
            (w, s) ->
                first.dispatch(
                    w,
                    s,
                    kernels.get().kernel("twice"),
                    IndirectWorkgroups.of(d.get()),
                    Args.of(d.get().slice(BLOCK, BLOCK), d.get().slice(2L * BLOCK, BLOCK))),
            counts,
            filled,
            kernels);
    FaultStep<Void> copied = copy(first, d, 1, d, 0, dispatched);
    steps.read(first, d, blocks(3, 3, 6), copied);
  }

  /** One reusable command buffer in flight several times, with different tables, on two queues. */
  private void executeWithTables() {
    FaultStep<DeviceBuffer> b = allocate("b", 4, BufferParams.DEVICE);
    ByteBuffer hostMemory = TestData.direct(new byte[2 * BLOCK]);
    FaultStep<DeviceBuffer> imported =
        own(
            steps.make(
                "imported",
                device,
                () -> {
                  DeviceBuffer made =
                      device
                          .allocator()
                          .importHost(
                              hostMemory, BufferParams.HOST, importsReleased::incrementAndGet);
                  expectedReleases.set(1);
                  return made;
                }));
    FaultStep<CommandBuffer> recorded =
        own(
            steps.make(
                "record with slots",
                device,
                () -> {
                  CommandBuffer commands = device.createCommandBuffer(CommandBuffer.Mode.REUSABLE);
                  try {
                    Slot slot = Slot.of(0);
                    commands.fill(slot, 0, BLOCK, FillPattern.of8(2));
                    commands.barrier();
                    commands.dispatch(
                        kernels.get().kernel("twice"),
                        INTS,
                        Args.of(slot.slice(0, BLOCK), slot.slice(BLOCK, BLOCK)));
                    commands.end();
                  } catch (Throwable t) {
                    commands.close();
                    throw t;
                  }
                  return commands;
                },
                kernels));
    FaultStep<Void> onB =
        steps.enqueue(
            device,
            "execute with b",
            (w, s) -> first.execute(w, s, recorded.get(), BindingTable.of(b.get())),
            recorded,
            b);
    FaultStep<Void> onImported =
        steps.enqueue(
            device,
            "execute with imported memory",
            (w, s) -> second.execute(w, s, recorded.get(), BindingTable.of(imported.get())),
            recorded,
            imported);
    ByteBuffer seven = ByteBuffer.wrap(blocks(7));
    FaultStep<Void> uploaded =
        steps.enqueue(device, "upload", (w, s) -> first.upload(w, s, seven, b.get(), 2 * BLOCK), b);
    FaultStep<Void> copied = copy(second, b, 2, b, 3, uploaded, b);
    steps.read(second, b, blocks(2, 4, 7, 7), onB, copied);
    steps.read(first, imported, blocks(2, 4), onImported);
    FaultStep<DeviceBuffer> c = allocate("c", 4, BufferParams.DEVICE);
    FaultStep<Void> onHalf = executeOnHalf(0, c, recorded, onB);
    steps.read(first, c, blocks(2, 4, 2, 4), executeOnHalf(1, c, recorded, onHalf));
  }

  private FaultStep<Void> executeOnHalf(
      int half,
      FaultStep<DeviceBuffer> c,
      FaultStep<CommandBuffer> recorded,
      FaultStep<Void> behind) {
    return steps.enqueue(
        device,
        "execute with half " + half + " of c",
        (w, s) ->
            first.execute(
                w, s, recorded.get(), BindingTable.of(c.get().slice(2L * BLOCK * half, 2 * BLOCK))),
        behind,
        recorded,
        c);
  }

  /** One buffer that is deallocated, one that is only closed. */
  private void transients() {
    FaultStep<DeviceBuffer> t =
        own(
            steps.alloca(
                device, "t", (w, s) -> first.alloca(w, s, 2 * BLOCK, BufferParams.DEVICE)));
    FaultStep<Void> filledT = fill(second, t, 0, 10, t);
    FaultStep<Void> readT =
        steps.read(second, t, blocks(10, 20), twice(first, t, 0, filledT, t, kernels));
    steps.enqueue(device, "dealloca t", (w, s) -> first.dealloca(w, s, t.get()), readT, t);

    FaultStep<DeviceBuffer> u =
        own(steps.alloca(device, "u", (w, s) -> second.alloca(w, s, BLOCK, BufferParams.DEVICE)));
    steps.read(first, u, blocks(11), fill(second, u, 0, 11, u));
  }

  private void hostCalls() {
    FaultStep<Void> blocking = steps.call(first, HostCall.Mode.BLOCKING, context -> {});
    FaultStep<Void> trigger = steps.enqueue(device, "trigger", second::barrier, go);
    steps.call(
        second,
        HostCall.Mode.BLOCKING,
        context -> {
          HostCall.Completion completion = context.defer();
          trigger.done.onReach(1, failed -> completion.complete());
        },
        blocking);
    steps.call(first, HostCall.Mode.NON_BLOCKING, context -> {}, blocking);
  }

  private void external() {
    FaultStep<DeviceBuffer> e = allocate("e", 1, BufferParams.DEVICE);
    FaultStep<Void> filled = fill(first, e, 0, 15, e);
    FaultStep<Void> ran =
        steps.enqueue(
            device,
            "external work",
            (w, s) -> second.external(w, s, List.of(e.get()), context -> {}),
            filled,
            e);
    steps.read(first, e, blocks(15), ran);
  }

  /** Copies to the other device and back; the devices wait for each other. */
  private void devices(FaultStep<DeviceBuffer> a, FaultStep<Void> executed) {
    FaultStep<DeviceBuffer> o =
        own(steps.make("o", other, () -> other.allocate(3 * BLOCK, BufferParams.DEVICE)));
    FaultStep<Void> there = copy(first, a, 1, o, 0, executed, a, o);
    FaultStep<Void> filled = fill(other.queue(0), o, 1, 9, o);
    FaultStep<Void> copied = copy(other.queue(1), o, 0, o, 2, there, o);
    steps.read(other.queue(0), o, blocks(1, 9, 1), filled, copied);
    sharedWriters.add(copy(second, o, 2, shared, 2, copied, o, shared));
    sharedWriters.add(fill(first, shared, 3, 3, filled, shared));
  }

  /** Both devices add their blocks. */
  private void groups() {
    FaultStep<DeviceBuffer> g = allocate("g", 1, BufferParams.DEVICE);
    FaultStep<DeviceBuffer> h =
        own(steps.make("h", other, () -> other.allocate(BLOCK, BufferParams.DEVICE)));
    FaultStep<Void> filledG = fill(first, g, 0, 3, g);
    FaultStep<Void> filledH = fill(other.queue(0), h, 0, 4, h);
    FaultStep<CollectiveGroup> group =
        steps.make("group", device, () -> CollectiveGroup.of(device, other));
    madeGroup = group; // closing it would cancel what has not begun
    FaultStep<Void> added =
        steps.enqueue(
            device,
            "all-reduce",
            (w, s) ->
                group
                    .get()
                    .allReduce(
                        Reduction.SUM,
                        ElementType.U8,
                        List.of(
                            new CollectiveGroup.Rank(w, s, g.get(), g.get()),
                            new CollectiveGroup.Rank(Fence.NONE, Fence.NONE, h.get(), h.get()))),
            filledG,
            filledH,
            group);
    steps.read(first, g, blocks(7), added);
    steps.read(other.queue(0), h, blocks(7), added);
  }

  /** The host writes through a mapping, and the device copies the data. */
  private void mapAndWrite() throws InterruptedException {
    FaultStep<Void> written =
        steps.host(
            "map and write",
            device,
            () -> {
              try (DeviceBuffer.Mapping mapping =
                  shared.get().map(0, BLOCK, MapMode.DISCARD_WRITE)) {
                mapping.bytes().put(blocks(8));
                mapping.flush();
              }
            },
            shared);
    sharedWriters.add(copy(second, shared, 0, shared, 1, written, shared));
  }

  /** Signals the timepoint that the parked steps wait for. */
  public void release() {
    go.done.signal(1);
  }

  /** Runs the steps of the host that come after everything else has ended. */
  public void finish() throws InterruptedException {
    steps.host(
        "map and read",
        device,
        () -> {
          try (DeviceBuffer.Mapping mapping = shared.get().map(MapMode.READ)) {
            byte[] found = new byte[4 * BLOCK];
            mapping.bytes().get(found);
            TestData.assertBytes(blocks(8, 8, 1, 3), found, "the shared buffer");
          }
        },
        sharedWriters.toArray(FaultStep<?>[]::new));
  }

  /** Enqueues new work on both devices. */
  public void probe() {
    FaultStep<DeviceBuffer> p = allocate("p", 1, BufferParams.DEVICE);
    steps.read(first, p, blocks(13), fill(second, p, 0, 13, p));
    FaultStep<DeviceBuffer> q =
        own(steps.make("q", other, () -> other.allocate(BLOCK, BufferParams.DEVICE)));
    steps.read(other.queue(1), q, blocks(14), fill(other.queue(0), q, 0, 14, q));
  }

  // The end.

  /** Closes everything that no later step names. Operations that use it continue (rule Q3). */
  public void closeAtOnce() throws Exception {
    for (FaultStep<? extends AutoCloseable> step : owned) {
      AutoCloseable made = step.orNull();
      if (made != null && step != shared) {
        made.close();
      }
    }
  }

  /** Closes its resources, except those that must be open when the device is closed. */
  public void close() throws Exception {
    closeAtOnce();
    CollectiveGroup group = madeGroup == null ? null : madeGroup.orNull();
    if (group != null) {
      group.close();
    }
    DeviceBuffer mapped = shared.orNull();
    if (mapped != null) {
      mapped.close();
    }
    go.done.close();
    steps.all().forEach(step -> step.done.close());
    Waits.awaitTrue(
        "the imported memory to be released",
        () -> importsReleased.get() >= expectedReleases.get());
    assertEquals(expectedReleases.get(), importsReleased.get(), "releases of the imported memory");
  }

  /** Closes the resources that were open until the device was closed. */
  public void closeKept() {
    DeviceBuffer buffer = kept.orNull();
    if (buffer != null) {
      buffer.close();
    }
    Executable executable = kernels.orNull();
    if (executable != null) {
      executable.close();
    }
  }

  /** Checks that the devices contain only what {@link #close} leaves open. */
  public void checkStatistics() {
    DeviceStatistics now = device.statistics();
    assertEquals(kept.orNull() == null ? 0 : 1, now.buffers(), now::toString);
    assertEquals(kept.orNull() == null ? 0 : BLOCK, now.bytes(), now::toString);
    assertEquals(kernels.orNull() == null ? 0 : 1, now.executables(), now::toString);
    assertEquals(now.buffers() + now.executables(), now.liveResources(), now::toString);
    DeviceStatistics there = other.statistics();
    assertEquals(0, there.liveResources(), there::toString);
    assertEquals(0, there.bytes(), there::toString);
  }
}
