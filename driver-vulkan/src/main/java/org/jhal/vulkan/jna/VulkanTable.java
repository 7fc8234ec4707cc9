// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan.jna;

/** The functions of the loader that operations call. */
public interface VulkanTable {
  int queueSubmit(long queue, int count, long submits, long fence);

  int getSemaphoreCounterValue(long device, long semaphore, long[] value);

  int waitSemaphores(long device, long info, long nanos);

  int beginCommandBuffer(long commands, long info);

  int endCommandBuffer(long commands);

  int resetCommandBuffer(long commands, int flags);

  int cmdBindPipeline(long commands, int bindPoint, long pipeline);

  int cmdPushConstants(long commands, long layout, int stages, int offset, int size, long values);

  int cmdDispatch(long commands, int groupsX, int groupsY, int groupsZ);

  int cmdDispatchIndirect(long commands, long buffer, long offset);

  int cmdPipelineBarrier(
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

  int cmdCopyBuffer(long commands, long source, long target, int regionCount, long regions);

  int cmdExecuteCommands(long commands, int count, long buffers);

  int cmdResetQueryPool(long commands, long pool, int first, int count);

  int cmdWriteTimestamp(long commands, int stage, long pool, int query);

  int cmdCopyQueryPoolResults(
      long commands,
      long pool,
      int first,
      int count,
      long target,
      long offset,
      long stride,
      int flags);

  int cmdUpdateBuffer(long commands, long target, long offset, long size, long data);

  int cmdFillBuffer(long commands, long target, long offset, long size, int data);
}
