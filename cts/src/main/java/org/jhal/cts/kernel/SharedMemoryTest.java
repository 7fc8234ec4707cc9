// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.kernel;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.jhal.Args;
import org.jhal.CommandBuffer;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.Fence;
import org.jhal.Kernel;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Commands;
import org.jhal.cts.support.Cts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Kernels with the same code and different amounts of dynamic shared memory. */
@CtsSuite
class SharedMemoryTest {
  /** Some devices give a kernel this much, or three fifths of it, only on request. */
  private static final int MANY_BYTES = 100_000;

  /** Which of two kernels, or bundles, comes first. */
  enum First {
    THE_LARGER,
    THE_SMALLER
  }

  /** As much as the device has, or MANY_BYTES, minus some for what the code itself declares. */
  private static int large(Cts cts) {
    int most = cts.device().info().maxSharedMemory();
    return Math.min(MANY_BYTES, most - most / 8) / Integer.BYTES * Integer.BYTES;
  }

  private static int small(Cts cts) {
    return large(cts) / 5 * 3 / Integer.BYTES * Integer.BYTES;
  }

  /** The declaration of the suite's kernel {@code reverse}, under any name. */
  private static String reverse(String name, int bytes) {
    return """
        {"name": "%s",
         "parameters": [{"name": "data", "kind": "buffer", "type": "i32", "direction": "inout"}],
         "workgroupSize": [64], "dynamicSharedMemory": %s}
        """
        .formatted(name, bytes);
  }

  private static Executable load(Cts cts, BundleFolder bundle) {
    return cts.closing(cts.device().loadExecutable(bundle.source()));
  }

  private static void assertReverses(Cts cts, Kernel kernel) {
    String what = kernel.name() + " with " + kernel.dynamicSharedMemory() + " bytes";
    byte[] expected = ints(64, i -> 63 - i);
    DeviceBuffer data = cts.buffer(ints(64, i -> i));
    TimelineSemaphore done = cts.semaphore();
    cts.queue().dispatch(Fence.NONE, done.at(1), kernel, Workgroups.of(1), Args.of(data));
    awaitReached(done, 1);
    assertBytes(expected, cts.read(data), what);
    Commands commands = new Commands(cts, Commands.Form.BINDING_TABLE, CommandBuffer.Mode.REUSABLE);
    commands.buffer().dispatch(kernel, Workgroups.of(1), Args.of(commands.ref(data)));
    for (int i = 0; i < 4; i++) { // an even number, and enough for a driver to use a graph
      commands.run(cts.queue());
    }
    assertBytes(expected, cts.read(data), what + ", recorded");
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M8")
  void kernelsWithOneEntryPointGetTheirDeclaredSharedMemory(First first, Cts cts) {
    int absolute = first == First.THE_LARGER ? large(cts) : small(cts);
    int reverse = first == First.THE_LARGER ? small(cts) : large(cts);
    BundleFolder bundle =
        BundleFolder.kernels(
            cts,
            manifest ->
                BundleFolder.replaceKernel(
                        BundleFolder.replaceKernel(
                            manifest, "absolute", reverse("absolute", absolute)),
                        "reverse",
                        reverse("reverse", reverse))
                    .replaceAll(
                        "\"file\"\\s*:\\s*\"[^\"]*\"",
                        "$0, \"entries\": {\"absolute\": \"reverse\"}"));
    if (!bundle.source().overlays().isEmpty()) {
      throw Cts.unsupported("an overlay has the kernels, and names their entry points itself");
    }
    Executable kernels = load(cts, bundle);
    if (kernels.format().equals("java")) {
      throw Cts.unsupported("a kernel in Java is the method of its name");
    }
    assertEquals(absolute, kernels.kernel("absolute").dynamicSharedMemory());
    assertEquals(reverse, kernels.kernel("reverse").dynamicSharedMemory());
    assertReverses(cts, kernels.kernel("absolute"));
    assertReverses(cts, kernels.kernel("reverse"));
    assertReverses(cts, kernels.kernel("absolute"));
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M8")
  void bundlesWithTheSameCodeGetTheirDeclaredSharedMemory(First first, Cts cts) {
    int large = large(cts);
    int small = small(cts);
    List<Integer> sizes = first == First.THE_LARGER ? List.of(large, small) : List.of(small, large);
    List<Kernel> kernels =
        sizes.stream()
            .map(
                bytes ->
                    load(
                            cts,
                            BundleFolder.kernels(
                                cts,
                                manifest ->
                                    BundleFolder.replaceKernel(
                                        manifest, "reverse", reverse("reverse", bytes))))
                        .kernel("reverse"))
            .toList();
    kernels.forEach(kernel -> assertReverses(cts, kernel));
    assertReverses(cts, kernels.get(0));
  }

  @Test
  @Rule({"M5", "M8"})
  void moreSharedMemoryThanTheDeviceHasIsRejected(Cts cts) {
    int most = cts.device().info().maxSharedMemory();
    if (most == Integer.MAX_VALUE) {
      throw Cts.unsupported("the device does not limit shared memory");
    }
    long before = cts.device().statistics().executables();
    assertHal(
        Status.OUT_OF_RANGE,
        () ->
            load(
                cts,
                BundleFolder.kernels(
                    cts,
                    manifest ->
                        BundleFolder.replaceKernel(
                            manifest, "reverse", reverse("reverse", most + 1)))),
        "reverse",
        String.valueOf(most + 1),
        String.valueOf(most));
    assertEquals(before, cts.device().statistics().executables(), "executables");
  }
}
