// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.kernel;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jhal.Args;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceInfo;
import org.jhal.Executable;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.junit.jupiter.api.Test;

/** The largest workgroups that a device reports, and the rejection of larger ones. */
@CtsSuite
class WorkgroupLimitTest {
  @Test
  @Rule("M5")
  void workgroupLimitsAreConsistent(Cts cts) {
    DeviceInfo info = cts.device().info();
    assertTrue(!info.maxWorkgroupCount().isEmpty(), () -> "grids of " + info.maxWorkgroupCount());
    Workgroups most = info.maxWorkgroupSize();
    long product = (long) most.x() * most.y() * most.z();
    assertTrue(
        info.maxWorkgroupItems() <= product,
        () -> info.maxWorkgroupItems() + " work items, but only " + most + " along the axes");
  }

  /** Sizes of workgroups, each beyond one limit. */
  private static List<Workgroups> tooLarge(DeviceInfo info) {
    List<Workgroups> sizes = new ArrayList<>();
    Workgroups most = info.maxWorkgroupSize();
    if (info.maxWorkgroupItems() == Integer.MAX_VALUE) {
      throw Cts.unsupported("the device accepts workgroups of every size");
    }
    sizes.add(new Workgroups(most.x() + 1, 1, 1));
    sizes.add(new Workgroups(1, most.y() + 1, 1));
    sizes.add(new Workgroups(1, 1, most.z() + 1));
    if ((long) most.x() * most.y() > info.maxWorkgroupItems()) {
      sizes.add(new Workgroups(most.x(), info.maxWorkgroupItems() / most.x() + 1, 1));
    }
    return sizes;
  }

  @Test
  @Rule({"M5", "M8"})
  void workgroupsBeyondALimitAreRejected(Cts cts) {
    DeviceInfo info = cts.device().info();
    long before = cts.device().statistics().executables();
    for (Workgroups size : tooLarge(info)) {
      assertHal(
          Status.OUT_OF_RANGE,
          () -> negateWith(cts, size).close(),
          "negate",
          size.toString(),
          info.maxWorkgroupSize().toString(),
          String.valueOf(info.maxWorkgroupItems()));
    }
    assertEquals(before, cts.device().statistics().executables(), "executables");
  }

  /** The suite's kernel with larger workgroups. */
  private static Executable negateWith(Cts cts, Workgroups size) {
    String kernel =
        """
        {"name": "negate",
         "bindings": [
           {"name": "in", "type": "i32", "direction": "in"},
           {"name": "out", "type": "i32", "direction": "out"}],
         "workgroupSize": [%s]}
        """
            .formatted(size);
    BundleFolder bundle =
        BundleFolder.kernels(
            cts, manifest -> BundleFolder.replaceKernel(manifest, "negate", kernel));
    return cts.closing(cts.device().loadExecutable(bundle.source()));
  }

  @Test
  @Rule({"M5", "M8"})
  void workgroupsOfTheLargestSizesRun(Cts cts) {
    DeviceInfo info = cts.device().info();
    Workgroups most = info.maxWorkgroupSize();
    // One element for each work item, because a kernel may index by work item instead of by
    // workgroup.
    long items = 4L * info.maxWorkgroupItems();
    if (4 * items > Math.min(info.maxAllocationBytes(), Integer.MAX_VALUE)) {
      throw Cts.unsupported("the device accepts workgroups of every size");
    }
    int[] numbers = new int[(int) items];
    Arrays.setAll(numbers, i -> i + 1);
    DeviceBuffer x = cts.buffer(ints(numbers));
    for (Workgroups size :
        List.of(
            new Workgroups(most.x(), info.maxWorkgroupItems() / most.x(), 1),
            new Workgroups(1, most.y(), 1),
            new Workgroups(1, 1, most.z()))) {
      Executable kernels;
      try {
        kernels = negateWith(cts, size);
      } catch (HalException e) {
        if (e.status() == Status.OUT_OF_RANGE) {
          throw e;
        }
        throw Cts.unsupported("kernels are compiled for one size of workgroups: " + e.getMessage());
      }
      DeviceBuffer y = cts.buffer(x.size());
      TimelineSemaphore done = cts.semaphore();
      cts.queue()
          .dispatch(
              Fence.NONE, done.at(1), kernels.kernel("negate"), Workgroups.of(4), Args.of(x, y));
      awaitReached(done, 1);
      assertBytes(ints(-1, -2, -3, -4), cts.read(y, 0, 16), "negated by workgroups of " + size);
    }
  }
}
