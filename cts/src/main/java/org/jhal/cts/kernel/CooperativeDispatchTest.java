// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.kernel;

import static org.jhal.ElementType.I32;
import static org.jhal.Parameter.constant;
import static org.jhal.Parameter.in;
import static org.jhal.Parameter.inout;
import static org.jhal.Parameter.out;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.TestData.toInts;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.jhal.Args;
import org.jhal.BufferRef;
import org.jhal.Capability;
import org.jhal.CommandBuffer;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.IndirectWorkgroups;
import org.jhal.Kernel;
import org.jhal.QueueSteps;
import org.jhal.Sequence;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Commands;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Waits;
import org.jhal.kernel.Ints;
import org.jhal.kernel.KernelMemory;
import org.jhal.kernel.Workgroup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Dispatches whose workgroups wait for each other. */
@CtsSuite
@Needs(capabilities = Capability.COOPERATIVE_DISPATCH)
class CooperativeDispatchTest {
  private static final int ITEMS = 64; // of a workgroup
  private static final String STENCIL = "stencil";
  private static final String SCAN = "scan";
  private static final String PLACES = "places";

  private static final String SOURCE =
      """
      #include <cooperative_groups.h>
      namespace cg = cooperative_groups;

      // One step needs what all workgroups have written in the step before.
      extern "C" __global__ void stencil(int n, int steps, int* a, int* b) {
        cg::grid_group grid = cg::this_grid();
        const int first = blockIdx.x * blockDim.x + threadIdx.x;
        const int stride = gridDim.x * blockDim.x;
        for (int step = 0; step < steps; step++) {
          const int* from = step % 2 == 0 ? a : b;
          int* to = step % 2 == 0 ? b : a;
          for (int i = first; i < n; i += stride) {
            to[i] = from[i == 0 ? n - 1 : i - 1] + 2 * from[i] + 3 * from[i == n - 1 ? 0 : i + 1];
          }
          grid.sync();
        }
      }

      // Shared memory and variables of items outlive the wait for the grid.
      extern "C" __global__ void scan(int n, const int* in, int* sums, int* out) {
        extern __shared__ int dynamic[];
        __shared__ int part[64];
        const int item = threadIdx.x;
        const int at = blockIdx.x * 64 + item;
        const int own = at < n ? in[at] : 0;
        part[item] = own;
        __syncthreads();
        for (int by = 1; by < 64; by *= 2) {
          const int before = item >= by ? part[item - by] : 0;
          __syncthreads();
          part[item] += before;
          __syncthreads();
        }
        if (item == 63) sums[blockIdx.x] = part[63];
        dynamic[item] = own + item;
        cg::this_grid().sync();
        int before = 0;
        for (int group = 0; group < (int)blockIdx.x; group++) before += sums[group];
        if (at < n) out[at] = before + part[item] + (dynamic[item] - own - item);
      }

      // Each workgroup reads what the next one has written.
      extern "C" __global__ void places(int* seen, int* out) {
        const cg::grid_group grid = cg::this_grid();
        const unsigned rank = (unsigned)grid.block_rank(), count = (unsigned)grid.num_blocks();
        if (threadIdx.x == 0) seen[rank] = (int)rank + 1;
        grid.sync();
        const int next = seen[(rank + 1) % count];
        cg::sync(grid);
        if (threadIdx.x == 0) seen[rank] = -1;
        grid.sync();
        if (threadIdx.x == 0) out[rank] = grid.is_valid() ? next + seen[(rank + 1) % count] : -7;
      }
      """;

  /** The same in Java, one call for a workgroup. */
  public static final class InJava {
    private InJava() {}

    public static void stencil(Workgroup group, int n, int steps, Ints a, Ints b) {
      for (int step = 0; step < steps; step++) {
        Ints from = step % 2 == 0 ? a : b;
        Ints to = step % 2 == 0 ? b : a;
        int stride = group.countX() * group.sizeX();
        for (int first = (int) group.firstX(); first < group.firstX() + group.sizeX(); first++) {
          for (int i = first; i < n; i += stride) {
            int left = from.get(i == 0 ? n - 1 : i - 1);
            to.set(i, left + 2 * from.get(i) + 3 * from.get(i == n - 1 ? 0 : i + 1));
          }
        }
        group.syncGrid();
      }
    }

    public static void scan(Workgroup group, int n, Ints in, Ints sums, Ints out) {
      KernelMemory shared = group.shared();
      int sum = 0;
      for (int item = 0; item < ITEMS; item++) {
        long at = group.firstX() + item;
        sum += at < n ? in.get(at) : 0;
        shared.putInt(4L * item, sum);
      }
      sums.set(group.groupX(), sum);
      group.syncGrid();
      int before = 0;
      for (int i = 0; i < group.groupX(); i++) {
        before += sums.get(i);
      }
      for (long at = group.firstX(); at < group.endX(n); at++) {
        out.set(at, before + shared.getInt(4 * (at - group.firstX())));
      }
    }

    public static void places(Workgroup group, Ints seen, Ints out) {
      int count = group.countX() * group.countY() * group.countZ();
      int plane = group.groupZ() * group.countY() + group.groupY();
      int rank = plane * group.countX() + group.groupX();
      seen.set(rank, rank + 1);
      group.syncGrid();
      int next = seen.get((rank + 1) % count);
      group.syncGrid();
      seen.set(rank, -1);
      group.syncGrid();
      out.set(rank, next + seen.get((rank + 1) % count));
    }
  }

  private static final ExecutableSource BUNDLE =
      ExecutableSource.builder("cooperative")
          .kernel(
              STENCIL,
              ITEMS,
              constant("n", I32),
              constant("steps", I32),
              inout("a", I32),
              inout("b", I32))
          .kernel(
              SCAN,
              Workgroups.of(ITEMS),
              4 * ITEMS,
              constant("n", I32),
              in("in", I32),
              inout("sums", I32),
              out("out", I32))
          .kernel(PLACES, ITEMS, inout("seen", I32), out("out", I32))
          .cooperative(STENCIL)
          .cooperative(SCAN)
          .cooperative(PLACES)
          .cpp(SOURCE)
          .java(InJava.class)
          .build();

  private static Kernel kernel(Cts cts, String name) {
    Executable loaded = cts.closing(cts.device().loadExecutable(BUNDLE));
    return loaded.kernel(name);
  }

  private static int resident(Kernel kernel) {
    return (int) Math.min(kernel.residentWorkgroups().orElseThrow(), Integer.MAX_VALUE);
  }

  /** As many workgroups as wanted, or fewer if the device does not hold them. */
  private static Workgroups atMost(int wanted, Kernel kernel) {
    return Workgroups.of(Math.min(wanted, resident(kernel)));
  }

  /** Where a dispatch is made. */
  enum Place {
    QUEUE,
    RECORDING,
    BINDING_TABLE,
    /** The third use, which may have another form. */
    REUSED_RECORDING
  }

  private static void run(Cts cts, Place place, Kernel kernel, Workgroups count, Object... args) {
    if (place == Place.QUEUE) {
      TimelineSemaphore done = cts.semaphore();
      cts.queue().dispatch(Fence.NONE, done.at(1), kernel, count, Args.of(args));
      awaitReached(done, 1);
      return;
    }
    Commands commands =
        new Commands(
            cts,
            place == Place.BINDING_TABLE ? Commands.Form.BINDING_TABLE : Commands.Form.DIRECT,
            CommandBuffer.Mode.REUSABLE);
    Object[] refs = args.clone();
    for (int i = 0; i < refs.length; i++) {
      if (refs[i] instanceof DeviceBuffer buffer) {
        refs[i] = commands.ref(buffer);
      }
    }
    commands.buffer().dispatch(kernel, count, Args.of(refs));
    for (int use = place == Place.REUSED_RECORDING ? 3 : 1; use > 0; use--) {
      commands.run(cts.queue());
    }
  }

  private static int[] stencil(int[] start, int steps) {
    int[] from = start;
    int n = start.length;
    for (int step = 0; step < steps; step++) {
      int[] to = new int[n];
      for (int i = 0; i < n; i++) {
        to[i] = from[(i + n - 1) % n] + 2 * from[i] + 3 * from[(i + 1) % n];
      }
      from = to;
    }
    return from;
  }

  private static int[] numbers(int n) {
    int[] numbers = new int[n];
    Arrays.setAll(numbers, i -> i * 7919 % 1009 - 300);
    return numbers;
  }

  private static int[] sums(int[] numbers) {
    int[] sums = numbers.clone();
    Arrays.parallelPrefix(sums, Integer::sum);
    return sums;
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M6b")
  void eachStepSeesWhatAllWorkgroupsWroteBefore(Place place, Cts cts) {
    Kernel kernel = kernel(cts, STENCIL);
    int n = 1000;
    int steps = 10;
    int uses = place == Place.REUSED_RECORDING ? 3 : 1; // each goes on with the last one's numbers
    int[] numbers = numbers(n);
    DeviceBuffer a = cts.buffer(ints(numbers));
    DeviceBuffer b = cts.buffer(4 * n);
    run(cts, place, kernel, atMost(16, kernel), n, steps, a, b);
    assertArrayEquals(stencil(numbers, uses * steps), toInts(cts.read(a)), "after the last step");
  }

  @ParameterizedTest
  @CsvSource({"1", "63", "64", "65", "640", "1023"})
  @Rule("M6b")
  void whatAWorkgroupKeepsOutlivesTheWait(int n, Cts cts) {
    Kernel kernel = kernel(cts, SCAN);
    int groups = (n + ITEMS - 1) / ITEMS;
    int fitting = Math.min(groups, resident(kernel));
    int length = Math.min(n, fitting * ITEMS);
    int[] numbers = numbers(length);
    DeviceBuffer in = cts.buffer(ints(numbers));
    for (Place place : Place.values()) {
      DeviceBuffer sums = cts.buffer(4 * fitting);
      DeviceBuffer out = cts.buffer(4 * length);
      run(cts, place, kernel, Workgroups.of(fitting), length, in, sums, out);
      assertArrayEquals(sums(numbers), toInts(cts.read(out)), "the sums, " + place);
    }
  }

  private static int[] places(int count) {
    int[] places = new int[count];
    Arrays.setAll(places, i -> (i + 1) % count); // the next one, counted from 1, minus 1
    return places;
  }

  @ParameterizedTest
  @CsvSource({"1,1,1", "7,1,1", "1,1,5", "2,3,2"})
  @Rule("M6b")
  void aGridMayHaveThreeDimensions(int x, int y, int z, Cts cts) {
    Kernel kernel = kernel(cts, PLACES);
    int count = x * y * z;
    Workgroups grid = resident(kernel) < count ? new Workgroups(1, 1, 1) : new Workgroups(x, y, z);
    count = grid.x() * grid.y() * grid.z();
    DeviceBuffer seen = cts.buffer(4 * count);
    DeviceBuffer out = cts.buffer(4 * count);
    run(cts, Place.QUEUE, kernel, grid, seen, out);
    assertArrayEquals(places(count), toInts(cts.read(out)), "what each has read");
  }

  @Test
  @Rule("M6b")
  void asManyWorkgroupsRunAsTheDeviceHolds(Cts cts) {
    for (String name : List.of(PLACES, STENCIL, SCAN)) {
      OptionalLong resident = kernel(cts, name).residentWorkgroups();
      assertTrue(resident.orElse(0) >= 1, () -> name + ": " + resident);
    }
    Kernel kernel = kernel(cts, PLACES);
    int count = resident(kernel);
    for (Place place : Place.values()) {
      DeviceBuffer seen = cts.buffer(4 * count);
      DeviceBuffer out = cts.buffer(4 * count);
      run(cts, place, kernel, Workgroups.of(count), seen, out);
      assertArrayEquals(places(count), toInts(cts.read(out)), "what each has read, " + place);
    }
  }

  @Test
  @Rule("M6b")
  void onlyCooperativeKernelsHaveALimit(Cts cts) {
    assertEquals(OptionalLong.empty(), cts.kernel("write_group_ids").residentWorkgroups());
  }

  @Test
  @Rule({"M5", "M6b"})
  void aGridThatDoesNotFitIsRejected(Cts cts) {
    Kernel kernel = kernel(cts, PLACES);
    int most = resident(kernel);
    DeviceBuffer seen = cts.buffer(64);
    Args args = Args.of(seen, cts.buffer(64));
    List<Workgroups> grids =
        List.of(
            Workgroups.of(most + 1),
            new Workgroups(1, most + 1, 1),
            new Workgroups(2, 1, most / 2 + 1),
            new Workgroups(65_535, 65_535, 65_535));
    CommandBuffer commands =
        cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.ONE_SHOT));
    long enqueued = cts.device().statistics().enqueued();
    for (Workgroups grid : grids) {
      TimelineSemaphore done = cts.semaphore();
      String[] parts = {
        "grid " + grid, PLACES, "at most " + most + " workgroups of this cooperative kernel"
      };
      assertHal(
          Status.OUT_OF_RANGE,
          () -> cts.queue().dispatch(Fence.NONE, done.at(1), kernel, grid, args),
          parts);
      assertHal(Status.OUT_OF_RANGE, () -> commands.dispatch(kernel, grid, args), parts);
      assertPending(done, 1);
    }
    assertEquals(enqueued, cts.device().statistics().enqueued(), "operations enqueued");
  }

  @Test
  @Rule({"M6", "M6b"})
  void anEmptyGridRunsNothing(Cts cts) {
    Kernel kernel = kernel(cts, PLACES);
    DeviceBuffer seen = cts.buffer(ints(5, 6));
    for (Place place : Place.values()) {
      run(cts, place, kernel, new Workgroups(0, 1, 1), seen, seen.slice(4, 4));
      run(cts, place, kernel, new Workgroups(1, 60_000, 0), seen, seen.slice(4, 4));
    }
    assertArrayEquals(new int[] {5, 6}, toInts(cts.read(seen)), "what no workgroup wrote");
  }

  @ParameterizedTest
  @EnumSource
  @Needs(capabilities = {Capability.COOPERATIVE_DISPATCH, Capability.INDIRECT_DISPATCH})
  @Rule({"M6a", "M6b"})
  void theDeviceMayComputeTheGrid(Commands.Form form, Cts cts) {
    Kernel kernel = kernel(cts, PLACES);
    int count = Math.min(5, resident(kernel));
    DeviceBuffer counts = cts.buffer(12);
    DeviceBuffer seen = cts.buffer(4 * count);
    DeviceBuffer out = cts.buffer(4 * count);
    Commands commands = new Commands(cts, form, CommandBuffer.Mode.REUSABLE);
    CommandBuffer buffer = commands.buffer();
    buffer.dispatch(
        cts.kernel("write_parameters"),
        Workgroups.of(1),
        Args.of(commands.ref(counts), count, 1, 1));
    buffer.barrier();
    IndirectWorkgroups place = IndirectWorkgroups.of(commands.ref(counts));
    buffer.dispatch(kernel, place, Args.of(commands.ref(seen), commands.ref(out)));
    for (int use = 0; use < 3; use++) {
      cts.write(out, 0, new byte[4 * count]);
      commands.run(cts.queue());
      assertArrayEquals(places(count), toInts(cts.read(out)), "what each has read, use " + use);
    }
  }

  @Test
  @Needs(capabilities = {Capability.COOPERATIVE_DISPATCH, Capability.INDIRECT_DISPATCH})
  @Rule({"M6a", "M6b"})
  void aComputedGridThatDoesNotFitFailsTheOperationAndRunsNothing(Cts cts) {
    Kernel kernel = kernel(cts, PLACES);
    int most = resident(kernel);
    DeviceBuffer counts = cts.buffer(ints(1, most + 1, 1));
    DeviceBuffer seen = cts.buffer(ints(8, 9));
    TimelineSemaphore done = cts.semaphore();
    Args args = Args.of(seen, seen);
    cts.queue().dispatch(Fence.NONE, done.at(1), kernel, IndirectWorkgroups.of(counts), args);
    HalException failure = awaitFailure(done, 1, Status.OUT_OF_RANGE);
    assertHal(
        Status.OUT_OF_RANGE,
        failure,
        "grid 1,%s,1".formatted(most + 1),
        PLACES,
        "at most " + most + " workgroups of this cooperative kernel");
    assertArrayEquals(new int[] {8, 9}, toInts(cts.read(seen)), "what no workgroup wrote");
    run(cts, Place.QUEUE, kernel, Workgroups.of(1), seen, seen.slice(4, 4));
    assertArrayEquals(new int[] {-1, 0}, toInts(cts.read(seen)), "what a later dispatch wrote");
  }

  /** None of them may keep workgroups of another from beginning. */
  @Test
  @Rule("M6b")
  void manyMayBeInFlightOnAllQueues(Cts cts) {
    Kernel kernel = kernel(cts, STENCIL);
    int n = 500;
    int steps = 20;
    int[] numbers = numbers(n);
    List<DeviceBuffer> results = new ArrayList<>();
    List<TimelineSemaphore> ends = new ArrayList<>();
    TimelineSemaphore go = cts.semaphore();
    Workgroups grid = Workgroups.of(resident(kernel));
    for (int i = 0; i < 8; i++) {
      DeviceBuffer a = cts.buffer(ints(numbers));
      DeviceBuffer b = cts.buffer(4 * n);
      TimelineSemaphore done = cts.semaphore();
      cts.queue(i % cts.device().queueCount())
          .dispatch(go.at(1), done.at(1), kernel, grid, Args.of(n, steps, a, b));
      results.add(a);
      ends.add(done);
    }
    go.signal(1);
    for (int i = 0; i < results.size(); i++) {
      awaitReached(ends.get(i), 1);
      assertArrayEquals(stencil(numbers, steps), toInts(cts.read(results.get(i))), "dispatch " + i);
    }
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"M3", "M6b", "K6"})
  void otherCommandsOfARecordingStayInOrder(Commands.Form form, Cts cts) {
    Kernel kernel = kernel(cts, STENCIL);
    int n = 300;
    int[] numbers = numbers(n);
    DeviceBuffer start = cts.buffer(ints(numbers));
    DeviceBuffer a = cts.buffer(4 * n);
    DeviceBuffer b = cts.buffer(4 * n);
    DeviceBuffer kept = cts.buffer(4 * n);
    Commands commands = new Commands(cts, form, CommandBuffer.Mode.REUSABLE);
    CommandBuffer buffer = commands.buffer();
    BufferRef from = commands.ref(a);
    BufferRef to = commands.ref(b);
    Workgroups grid = atMost(4, kernel);
    buffer.copy(commands.ref(start), 0, from, 0, 4 * n);
    buffer.barrier();
    buffer.dispatch(kernel, grid, Args.of(n, 3, from, to));
    buffer.barrier();
    buffer.copy(to, 0, from, 0, 4 * n); // the third step writes b
    buffer.barrier();
    buffer.dispatch(kernel, grid, Args.of(n, 2, from, to));
    buffer.barrier();
    buffer.copy(from, 0, commands.ref(kept), 0, 4 * n);
    for (int use = 0; use < 4; use++) {
      cts.write(kept, 0, new byte[4 * n]);
      commands.run(cts.queue());
      assertArrayEquals(stencil(numbers, 5), toInts(cts.read(kept)), "use " + use);
    }
  }

  @Test
  @Rule("M6b")
  void aSequenceTakesItAsAStep(Cts cts) throws InterruptedException {
    Kernel kernel = kernel(cts, PLACES);
    int count = Math.min(3, resident(kernel));
    DeviceBuffer out = cts.buffer(4 * count);
    try (Sequence sequence = cts.device().createSequence()) {
      QueueSteps steps = sequence.on(cts.queue());
      DeviceBuffer seen = steps.allocate(I32, count);
      steps.dispatch(kernel, Workgroups.of(count), Args.of(seen, out));
      sequence.await(Waits.LIMIT);
    }
    assertArrayEquals(places(count), toInts(cts.read(out)), "what each has read");
  }
}
