// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.kernel;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jhal.Args;
import org.jhal.Capability;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.Parameter.Direction;
import org.jhal.Parameter.Kind;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Task;
import org.junit.jupiter.api.Test;

/** What an executable reports about itself, in each format of the backend's kernels. */
@CtsSuite
class ExecutableTest {
  private static final Set<String> KERNELS =
      Set.of(
          "absolute",
          "write_constants",
          "scale_and_offset",
          "negate",
          "twice",
          "write_group_ids",
          "write_parameters",
          "reflected",
          "all_constants",
          "write_structs",
          "spin",
          "reverse",
          "append",
          "trap");

  /** The suite's kernels in all formats, each loaded for this test. */
  private static List<Executable> load(Cts cts) {
    List<Executable> loaded = new ArrayList<>();
    for (ExecutableSource source : cts.backend().kernels()) {
      loaded.add(cts.closing(cts.device().loadExecutable(source)));
    }
    return loaded;
  }

  @Test
  @Rule("M8")
  void kernelsOfEachFormatLoadAndRun(Cts cts) {
    Set<String> formats = new HashSet<>();
    for (Executable kernels : load(cts)) {
      assertSame(cts.device(), kernels.device());
      assertTrue(
          cts.device().executableFormats().contains(kernels.format()),
          () -> kernels.format() + " is none of " + cts.device().executableFormats());
      assertTrue(formats.add(kernels.format()), () -> "twice in the format " + kernels.format());
      DeviceBuffer x = cts.buffer(ints(1, 2, 3, 4));
      DeviceBuffer y = cts.buffer(16);
      TimelineSemaphore done = cts.semaphore();
      cts.queue()
          .dispatch(
              Fence.NONE,
              done.at(1),
              kernels.kernel("scale_and_offset"),
              Workgroups.of(4),
              Args.of(x, y, 2, 5));
      awaitReached(done, 1);
      assertBytes(ints(7, 9, 11, 13), cts.read(y), "2x + 5 in the format " + kernels.format());
    }
  }

  @Test
  @Rule("M8")
  void executablesListAllKernels(Cts cts) {
    for (Executable executable : load(cts)) {
      List<Kernel> kernels = executable.kernels();
      assertEquals(KERNELS.size(), kernels.size(), () -> "kernels: " + kernels);
      Set<String> names = new HashSet<>();
      for (int i = 0; i < kernels.size(); i++) {
        Kernel kernel = kernels.get(i);
        names.add(kernel.name());
        assertSame(kernel, executable.kernel(i));
        assertSame(kernel, executable.kernel(kernel.name()));
        assertSame(executable, kernel.executable());
      }
      assertEquals(KERNELS, names);
      assertThrows(UnsupportedOperationException.class, () -> kernels.remove(0));
    }
  }

  @Test
  @Rule({"M5", "M8"})
  void unknownKernelNamesAndIndexesAreRejected(Cts cts) {
    for (Executable kernels : load(cts)) {
      for (int index : new int[] {-1, KERNELS.size(), 100}) {
        assertHal(
            Status.OUT_OF_RANGE,
            () -> kernels.kernel(index),
            "kernel index",
            "" + index,
            "" + KERNELS.size());
      }
      assertHal(
          Status.NOT_FOUND, () -> kernels.kernel("no_such_function"), "no_such_function", "spin");
      assertHal(Status.NOT_FOUND, () -> kernels.kernel("Negate"), "Negate", "negate");
      assertHal(Status.NOT_FOUND, () -> kernels.kernel(""));
    }
  }

  @Test
  @Rule("M8")
  void parametersAreThoseOfTheManifest(Cts cts) {
    for (Executable kernels : load(cts)) {
      assertEquals(
          List.of(
              new Parameter("a", Kind.CONSTANT, ElementType.U32, Direction.IN),
              new Parameter("x", Kind.BUFFER, ElementType.U8, Direction.IN),
              new Parameter("b", Kind.CONSTANT, ElementType.F64, Direction.IN),
              new Parameter("y", Kind.BUFFER, ElementType.U32, Direction.OUT)),
          kernels.kernel("reflected").parameters());
      assertEquals(
          List.of(
              new Parameter("flags", Kind.BUFFER, ElementType.I32, Direction.INOUT),
              new Parameter("iterations", Kind.CONSTANT, ElementType.U64, Direction.IN)),
          kernels.kernel("spin").parameters());
      assertEquals(11, kernels.kernel("all_constants").parameters().size());
      assertThrows(
          UnsupportedOperationException.class, () -> kernels.kernel("spin").parameters().remove(0));
    }
  }

  @Test
  @Rule("M8")
  void workgroupsAreThoseOfTheManifest(Cts cts) {
    for (Executable kernels : load(cts)) {
      assertEquals(new Workgroups(64, 1, 1), kernels.kernel("reverse").workgroupSize());
      assertEquals(256, kernels.kernel("reverse").dynamicSharedMemory());
      assertEquals(new Workgroups(1, 1, 1), kernels.kernel("negate").workgroupSize());
      assertEquals(0, kernels.kernel("negate").dynamicSharedMemory());
    }
  }

  @Test
  @Rule("M7")
  void closingTwiceIsHarmless(Cts cts) {
    Device device = cts.device();
    Executable kept = cts.closing(device.loadExecutable(cts.backend().kernels().get(0)));
    long before = device.statistics().executables();
    Executable closed = device.loadExecutable(cts.backend().kernels().get(0));
    assertEquals(before + 1, device.statistics().executables());
    closed.close();
    closed.close();
    assertEquals(before, device.statistics().executables());
    DeviceBuffer list = cts.buffer(new byte[8]);
    TimelineSemaphore done = cts.semaphore();
    cts.queue()
        .dispatch(
            Fence.NONE, done.at(1), kept.kernel("append"), Workgroups.of(1), Args.of(list, 4));
    awaitReached(done, 1);
    assertBytes(ints(1, 4), cts.read(list), "through the executable that was kept");
  }

  @Test
  @Rule("M8")
  void severalThreadsMayLoadConcurrently(Cts cts) throws Exception {
    List<Task<Executable>> tasks = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      tasks.add(
          Task.start(
              "loader-" + i,
              () -> cts.closing(cts.device().loadExecutable(cts.backend().kernels().get(0)))));
    }
    DeviceBuffer list = cts.buffer(new byte[4 * 7]);
    TimelineSemaphore timeline = cts.semaphore();
    for (int i = 0; i < tasks.size(); i++) {
      Kernel append = tasks.get(i).join().kernel("append");
      cts.queue()
          .dispatch(timeline.at(i), timeline.at(1 + i), append, Workgroups.of(1), Args.of(list, i));
    }
    awaitReached(timeline, 6);
    assertBytes(ints(6, 0, 1, 2, 3, 4, 5), cts.read(list), "through six executables");
  }

  @Test
  @Rule({"M5", "M6b"})
  void aCooperativeKernelIsLoadedOrRefusedByName(Cts cts) {
    ExecutableSource source =
        ExecutableSource.builder("cooperative")
            .kernel("together", 64, Parameter.out("all", ElementType.I32))
            .cooperative("together")
            .cpp("extern \"C\" __global__ void together(int* all) { all[threadIdx.x] = 1; }")
            .java("together", group -> {})
            .build();
    boolean isLoaded = cts.device().capabilities().contains(Capability.COOPERATIVE_DISPATCH);
    Set<String> formats = cts.device().executableFormats();
    if (isLoaded) {
      Executable loaded = cts.closing(cts.device().loadExecutable(source));
      assertTrue(loaded.kernel("together").residentWorkgroups().isPresent());
    } else if (formats.contains("gpu-c++") || formats.contains("java")) {
      assertHal(
          Status.UNIMPLEMENTED,
          () -> cts.device().loadExecutable(source),
          "kernel 'together' of cooperative is cooperative, and");
    }
  }

  @Test
  @Rule("M8")
  void refusalsDoNotIncludeTheLoadedFormat(Cts cts) {
    // The suite's own bundle may begin with formats that this device does not load.
    for (Executable kernels : load(cts)) {
      for (String refusal : kernels.refusals()) {
        assertFalse(refusal.startsWith(kernels.format() + ":"), refusal);
      }
      assertThrows(UnsupportedOperationException.class, () -> kernels.refusals().add("no"));
    }
  }
}
