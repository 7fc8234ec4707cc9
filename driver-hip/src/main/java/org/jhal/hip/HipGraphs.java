// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import static org.jhal.hip.jna.HipGraphApi.API;

import java.nio.ByteBuffer;
import org.jhal.gpu.natives.DeviceCalls;
import org.jhal.gpu.natives.GpuApi;
import org.jhal.gpu.natives.NativeBlock;
import org.jhal.gpu.runtime.GraphRuntime;
import org.jhal.hip.jna.HipGraphApi;
import org.jhal.hip.jna.HipGraphTable;

/**
 * The graphs of a device, for ROCm 7 and later. Older versions have another layout of
 * hipMemsetParams, and their graphs are known to run kernels with wrong arguments: after
 * hipGraphExecKernelNodeSetParams in 6.3 (ROCm/clr#138), and in graphs of 200 nodes and more
 * (ROCm/hip#3887).
 */
final class HipGraphs extends GraphRuntime {
  /** The first major version of ROCm whose graphs are used. */
  static final int FIRST_MAJOR = 7;

  // HIP has no structure for a copy: our own offsets.
  private static final int TARGET = 0;
  private static final int SOURCE = 8;
  private static final int BYTES = 16;

  private final HipGraphTable calls;

  HipGraphs(DeviceCalls device, HipGraphTable calls) {
    super(device, calls, API.setup(), HipGraphApi.KERNEL, "1D");
    this.calls = calls;
  }

  /** Unknown for HIP, whose versions differ in what a launch in flight reads. */
  @Override
  public boolean mayBeSetInFlight() {
    return false;
  }

  @Override
  protected int addFill(NativeBlock scratch, long node, long graph, long dependencies, int count) {
    return API.setup().graphAddMemsetNode(node, graph, dependencies, count, scratch.address(0));
  }

  @Override
  protected int setFill(NativeBlock scratch, long instance, long node) {
    return calls.graphExecMemsetNodeSetParams(instance, node, scratch.address(0));
  }

  @Override
  public void describeCopy(
      NativeBlock scratch, long target, boolean isTo, long source, boolean isFrom, long bytes) {
    scratch.bytes().putLong(TARGET, target).putLong(SOURCE, source).putLong(BYTES, bytes);
  }

  @Override
  protected int addCopy(NativeBlock scratch, long node, long graph, long dependencies, int count) {
    ByteBuffer copy = scratch.bytes();
    return API.setup()
        .graphAddMemcpyNode1D(
            node,
            graph,
            dependencies,
            count,
            copy.getLong(TARGET),
            copy.getLong(SOURCE),
            copy.getLong(BYTES),
            GpuApi.MEMCPY_DEFAULT);
  }

  @Override
  protected int setCopy(NativeBlock scratch, long instance, long node) {
    ByteBuffer copy = scratch.bytes();
    return calls.graphExecMemcpyNodeSetParams1D(
        instance,
        node,
        copy.getLong(TARGET),
        copy.getLong(SOURCE),
        copy.getLong(BYTES),
        GpuApi.MEMCPY_DEFAULT);
  }
}
