// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan.jna;

import java.lang.invoke.MethodHandles;
import org.jhal.gpu.natives.NativeFunctions;
import org.jhal.gpu.natives.SharedLibrary;

/** The functions of the Vulkan loader. The driver's own binding is JNA. */
public final class VulkanApi extends NativeFunctions<VulkanTable, VulkanSetup>
    implements VulkanTable {
  public static final VulkanApi API = new VulkanApi();

  private VulkanApi() {
    super(MethodHandles.lookup(), VulkanTable.class, VulkanSetup.class);
  }

  /** The C name of a function. */
  public static String functionName(String function) {
    return SharedLibrary.function("vk", function);
  }

  @Override
  protected String symbol(String function) {
    return functionName(function);
  }

  @Override
  public native int queueSubmit(long queue, int count, long submits, long fence);

  @Override
  public native int getSemaphoreCounterValue(long device, long semaphore, long[] value);

  @Override
  public native int waitSemaphores(long device, long info, long nanos);

  @Override
  public native int beginCommandBuffer(long commands, long info);

  @Override
  public native int endCommandBuffer(long commands);

  @Override
  public native int resetCommandBuffer(long commands, int flags);

  @Override
  public native int cmdBindPipeline(long commands, int bindPoint, long pipeline);

  @Override
  public native int cmdPushConstants(
      long commands, long layout, int stages, int offset, int size, long values);

  @Override
  public native int cmdDispatch(long commands, int groupsX, int groupsY, int groupsZ);

  @Override
  public native int cmdDispatchIndirect(long commands, long buffer, long offset);

  @Override
  public native int cmdPipelineBarrier(
      long commands,
      int sourceStages,
      int targetStages,
      int flags,
      int memoryBarrierCount,
      long memoryBarriers,
      int bufferBarrierCount,
      long bufferBarriers,
      int imageBarrierCount,
      long imageBarriers);

  @Override
  public native int cmdCopyBuffer(
      long commands, long source, long target, int regionCount, long regions);

  @Override
  public native int cmdExecuteCommands(long commands, int count, long buffers);

  @Override
  public native int cmdResetQueryPool(long commands, long pool, int first, int count);

  @Override
  public native int cmdWriteTimestamp(long commands, int stage, long pool, int query);

  @Override
  public native int cmdCopyQueryPoolResults(
      long commands,
      long pool,
      int first,
      int count,
      long target,
      long offset,
      long stride,
      int flags);

  @Override
  public native int cmdUpdateBuffer(long commands, long target, long offset, long size, long data);

  @Override
  public native int cmdFillBuffer(long commands, long target, long offset, long size, int data);
}
