// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.natives;

import com.sun.jna.Function;
import org.jhal.Workgroups;
import org.jspecify.annotations.Nullable;

/**
 * The calls for kernels whose workgroups wait for each other, which older runtimes lack. The vendor
 * has room for all workgroups of such a launch, or refuses it.
 *
 * <p>Thread-safe. The calls use the device that is bound to the thread.
 */
public final class CooperativeCalls {
  private static final String LAUNCH = "moduleLaunchCooperativeKernel";
  private static final String OCCUPANCY = "moduleOccupancyMaxActiveBlocksPerMultiprocessor";

  private final DeviceCalls calls;
  private final Function launch;
  private final Function occupancy;

  private CooperativeCalls(DeviceCalls calls, Function launch, Function occupancy) {
    this.calls = calls;
    this.launch = launch;
    this.occupancy = occupancy;
  }

  /** Those of a device; null if its runtime lacks one of them. */
  static @Nullable CooperativeCalls find(DeviceCalls calls) {
    Function launch = optional(calls, LAUNCH);
    Function occupancy = optional(calls, OCCUPANCY);
    return launch == null || occupancy == null
        ? null
        : new CooperativeCalls(calls, launch, occupancy);
  }

  private static @Nullable Function optional(DeviceCalls calls, String function) {
    return calls.library().library().optional(name(calls, function));
  }

  private static String name(DeviceCalls calls, String function) {
    return calls.library().vendor().codes().functions().functionName(function);
  }

  /**
   * Why a device does not launch such kernels, which continues a sentence that begins with the
   * device; null if it does.
   */
  public static @Nullable String obstacle(DeviceCalls calls, GpuProperties device) {
    if (!device.isCooperative()) {
      return "cannot run all workgroups of a dispatch at the same time";
    }
    return calls.cooperative() == null
        ? "has a runtime without " + name(calls, LAUNCH) + ", which newer ones have"
        : null;
  }

  /**
   * How many workgroups of a kernel one multiprocessor holds, if nothing else runs on it.
   *
   * @param items work items of a workgroup
   * @param sharedBytes dynamic shared memory per workgroup
   */
  public int perMultiprocessor(long kernel, int items, int sharedBytes) {
    int[] count = new int[1];
    calls.check(
        OCCUPANCY, occupancy.invokeInt(new Object[] {count, kernel, items, (long) sharedBytes}));
    return count[0];
  }

  /**
   * Runs a kernel with all workgroups at the same time.
   *
   * @param size work items of a workgroup along each axis
   * @param sharedBytes dynamic shared memory per workgroup
   * @param parameters the address of an array with the address of each argument; both are read
   *     before this returns
   */
  public void launch(
      long stream,
      long kernel,
      Workgroups count,
      Workgroups size,
      int sharedBytes,
      long parameters) {
    calls.check(
        LAUNCH,
        launch.invokeInt(
            new Object[] {
              kernel,
              count.x(),
              count.y(),
              count.z(),
              size.x(),
              size.y(),
              size.z(),
              sharedBytes,
              stream,
              parameters
            }));
  }
}
