// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.kernel;

import static org.jhal.ElementType.I32;
import static org.jhal.Parameter.inout;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.TestData.toInts;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jhal.Args;
import org.jhal.BundleBuilder;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.junit.jupiter.api.Test;

/**
 * Bundles that differ in one thing alone, as after a change of a program: none gets the compiled
 * code of another one, whether drivers keep it in memory or in files.
 */
@CtsSuite
class KernelVersionsTest {
  private static final String SOURCE =
      """
      #include "own.h"
      __device__ void write(int entry, int* data) {
        data[0] = OPTION;
        data[1] = HEADER;
        data[2] = entry;
        atomicAdd(data + 3, 1);
        atomicMax(data + 4, (int)threadIdx.x);
        atomicMax(data + 5, (int)threadIdx.y);
        atomicMax(data + 6, (int)threadIdx.z);
        data[7] = VARIANT;
      }
      extern "C" __global__ void one(int* data) { write(1, data); }
      extern "C" __global__ void two(int* data) { write(2, data); }
      """;

  /** A version of the bundle. */
  private record Version(
      int option, int header, int entry, int x, int y, int z, int variant, String other) {
    static final Version FIRST = new Version(1, 1, 1, 8, 1, 1, 1, "two");

    ExecutableSource source() {
      BundleBuilder bundle =
          ExecutableSource.builder("versions")
              .kernel("k", new Workgroups(x, y, z), inout("data", I32));
      if (!other.isEmpty()) {
        bundle.kernel(other, 1, inout("data", I32));
      }
      return bundle
          .cpp(SOURCE.replace("VARIANT", "" + variant), "-DOPTION=" + option)
          .file("own.h", "#define HEADER " + header)
          .entry("k", entry == 1 ? "one" : "two")
          .build();
    }

    int[] expected() {
      return new int[] {option, header, entry, x * y * z, x - 1, y - 1, z - 1, variant};
    }

    void check(Cts cts, Device device) {
      try (Executable kernels = device.loadExecutable(source())) {
        DeviceBuffer data = cts.buffer(ints(8, i -> 0));
        TimelineSemaphore done = cts.semaphore();
        cts.queue()
            .dispatch(Fence.NONE, done.at(1), kernels.kernel("k"), Workgroups.of(1), Args.of(data));
        awaitReached(done, 1);
        assertArrayEquals(expected(), toInts(cts.read(data)), this::toString);
      }
    }
  }

  @Test
  @Rule("M8")
  void eachVersionOfABundleRunsAsItself(Cts cts) {
    cts.needsFormat("gpu-c++");
    List<Version> versions =
        new ArrayList<>(
            List.of(
                Version.FIRST,
                new Version(2, 1, 1, 8, 1, 1, 1, "two"),
                new Version(1, 2, 1, 8, 1, 1, 1, "two"),
                new Version(1, 1, 2, 8, 1, 1, 1, "two"),
                new Version(1, 1, 1, 9, 1, 1, 1, "two"),
                new Version(1, 1, 1, 8, 2, 1, 1, "two"),
                new Version(1, 1, 1, 8, 1, 2, 1, "two"),
                new Version(1, 1, 1, 8, 1, 1, 2, "two"),
                new Version(1, 1, 1, 8, 1, 1, 1, "one"),
                new Version(1, 1, 1, 8, 1, 1, 1, "")));
    versions.forEach(version -> version.check(cts, cts.device()));
    Collections.reverse(versions); // once more, from what is kept
    versions.forEach(version -> version.check(cts, cts.device()));
  }
}
