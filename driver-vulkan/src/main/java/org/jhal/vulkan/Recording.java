// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jhal.Workgroups;
import org.jhal.gpu.natives.NativeBlock;
import org.jhal.vulkan.jna.VulkanConstants;
import org.jhal.vulkan.jna.VulkanTable;

/**
 * A command buffer that is recorded, submitted and recorded again. Each of its operations ends with
 * a barrier, so that all that follows in its queue, and the host, see what it has done.
 *
 * <p>Used by the thread that issues.
 */
final class Recording {
  private static final int ALL = VulkanConstants.VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;

  private final LogicalDevice device;
  private final VulkanTable calls;
  private final long handle;
  private final Blocks blocks;
  private final ScratchMemory scratch;
  private final long leastForKernel;

  /** What all recordings of a stream share: structures that calls read. */
  static final class Blocks {
    private static final int BEGIN = 0;
    private static final int BARRIER = 32;
    private static final int COPY = 56;
    private static final int WORD = 80;
    private static final int BUFFER = 88;
    private static final int KEPT = 96;
    private static final int INHERITANCE = KEPT + 32;
    private static final int RANGE = INHERITANCE + 56;
    private static final int RANGE_BYTES = 20;

    private final NativeBlock block = new NativeBlock(RANGE + RANGE_BYTES);

    Blocks() {
      ByteBuffer bytes = block.bytes();
      bytes
          .putInt(BEGIN, VulkanConstants.VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO)
          .putInt(BEGIN + 16, VulkanConstants.VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT)
          .putInt(KEPT, VulkanConstants.VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO)
          .putInt(KEPT + 16, VulkanConstants.VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT)
          .putLong(KEPT + 24, block.address(INHERITANCE))
          .putInt(INHERITANCE, VulkanConstants.VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO)
          .putInt(BARRIER, VulkanConstants.VK_STRUCTURE_TYPE_MEMORY_BARRIER)
          .putInt(BARRIER + 16, VulkanConstants.VK_ACCESS_MEMORY_WRITE_BIT);
    }

    private long begin() {
      return block.address(BEGIN);
    }

    private long beginKept() {
      return block.address(KEPT);
    }

    private long buffer(long handle) {
      block.bytes().putLong(BUFFER, handle);
      return block.address(BUFFER);
    }

    private long barrier(int targetAccess) {
      block.bytes().putInt(BARRIER + 20, targetAccess);
      return block.address(BARRIER);
    }

    private long word(int value) {
      block.bytes().putInt(WORD, value);
      return block.address(WORD);
    }

    private long range(long source, long target, int count) {
      block.bytes().putLong(RANGE, source).putLong(RANGE + 8, target).putInt(RANGE + 16, count);
      return block.address(RANGE);
    }

    private long copy(long from, long to, long bytes) {
      block.bytes().putLong(COPY, from).putLong(COPY + 8, to).putLong(COPY + 16, bytes);
      return block.address(COPY);
    }
  }

  /**
   * A recording that has not begun.
   *
   * @param handle the VkCommandBuffer
   * @param leastForKernel from how many bytes on copies are work of {@link CopyKernels}
   */
  Recording(
      LogicalDevice device,
      long handle,
      Blocks blocks,
      ScratchMemory scratch,
      long leastForKernel) {
    this.device = device;
    this.calls = device.calls();
    this.handle = handle;
    this.blocks = blocks;
    this.scratch = scratch;
    this.leastForKernel = leastForKernel;
  }

  /** The VkCommandBuffer. */
  long handle() {
    return handle;
  }

  void begin() {
    scratch.reset();
    device.check("beginCommandBuffer", calls.beginCommandBuffer(handle, blocks.begin()));
  }

  /** Begins commands that others {@link #execute}, any number of times. */
  void beginKept() {
    scratch.reset();
    device.check("beginCommandBuffer", calls.beginCommandBuffer(handle, blocks.beginKept()));
  }

  /**
   * Ends an operation: all that follows, and the host, see what it has done, and then the first
   * word of {@code counter} becomes the lower half of {@code value}.
   */
  void endOperation(VulkanMemory counter, long value) {
    barrierForAll();
    count(counter, value);
  }

  /** Likewise for an operation that is measured. */
  void endOperation(VulkanMemory counter, long value, StreamTimes.Pair times) {
    barrierForAll();
    endTimes(times);
    copyTimes(times);
    barrierForAll();
    count(counter, value);
  }

  /** Ends what {@link #beginTimes} has begun, when everything before is over. */
  void endTimes(StreamTimes.Pair times) {
    stamp(times.pool(), times.first() + 1);
  }

  /** Lets the host see both times, behind the next barrier for all. */
  void copyTimes(StreamTimes.Pair times) {
    calls.cmdCopyQueryPoolResults(
        handle,
        times.pool(),
        times.first(),
        2,
        times.memory().buffer(),
        times.memory().bufferOffset() + times.offset(),
        Long.BYTES,
        VulkanConstants.VK_QUERY_RESULT_64_BIT | VulkanConstants.VK_QUERY_RESULT_WAIT_BIT);
  }

  /** Begins to measure an operation, or a command of one. */
  void beginTimes(StreamTimes.Pair times) {
    calls.cmdResetQueryPool(handle, times.pool(), times.first(), 2);
    stamp(times.pool(), times.first());
  }

  /** Writes the time at which everything before is over. */
  private void stamp(long pool, int query) {
    calls.cmdWriteTimestamp(
        handle, VulkanConstants.VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, query);
  }

  private void barrierForAll() {
    int access =
        VulkanConstants.VK_ACCESS_MEMORY_READ_BIT
            | VulkanConstants.VK_ACCESS_MEMORY_WRITE_BIT
            | VulkanConstants.VK_ACCESS_HOST_READ_BIT;
    barrier(ALL | VulkanConstants.VK_PIPELINE_STAGE_HOST_BIT, access);
  }

  private void count(VulkanMemory counter, long value) {
    calls.cmdUpdateBuffer(
        handle, counter.buffer(), counter.bufferOffset(), Integer.BYTES, blocks.word((int) value));
  }

  void end() {
    device.check("endCommandBuffer", calls.endCommandBuffer(handle));
  }

  /** Forgets what was recorded. */
  void reset() {
    device.check("resetCommandBuffer", calls.resetCommandBuffer(handle, 0));
  }

  /** Orders all before it against all after it. */
  void barrier() {
    barrier(
        ALL,
        VulkanConstants.VK_ACCESS_MEMORY_READ_BIT | VulkanConstants.VK_ACCESS_MEMORY_WRITE_BIT);
  }

  private void barrier(int targetStages, int targetAccess) {
    calls.cmdPipelineBarrier(
        handle, ALL, targetStages, 0, 1, blocks.barrier(targetAccess), 0, 0, 0, 0);
  }

  /** Memory that the commands may read. */
  ScratchMemory.Piece scratch(int bytes) {
    return scratch.take(bytes);
  }

  /** Copies bytes; offsets are in the memory. The two ranges have no byte in common. */
  void copy(VulkanMemory source, long from, VulkanMemory target, long to, long bytes) {
    int head = bytes < leastForKernel ? 0 : head(target.address() + to);
    long chunks = bytes < leastForKernel ? 0 : (bytes - head) / CopyKernels.CHUNK_BYTES;
    if (chunks <= 0) {
      copyPart(source, from, target, to, bytes);
      return;
    }
    long start = source.address() + from + head;
    runKernel(
        start % CopyKernels.CHUNK_BYTES == 0 ? CopyKernels.Kind.COPY : CopyKernels.Kind.SHIFT,
        start,
        target.address() + to + head,
        chunks);
    long done = head + chunks * CopyKernels.CHUNK_BYTES;
    copyPart(source, from, target, to, head);
    copyPart(source, from + done, target, to + done, bytes - done);
  }

  private void copyPart(VulkanMemory source, long from, VulkanMemory target, long to, long bytes) {
    if (bytes > 0) {
      copy(
          source.buffer(),
          source.bufferOffset() + from,
          target.buffer(),
          target.bufferOffset() + to,
          bytes);
    }
  }

  /** How many bytes there are from an address to the first chunk. */
  private static int head(long address) {
    return (int) (-address & CopyKernels.CHUNK_BYTES - 1);
  }

  /** Has the kernel copy chunks. */
  private void runKernel(CopyKernels.Kind kind, long source, long target, long chunks) {
    long pipeline = device.copyKernels().pipeline(kind);
    for (long done = 0; done < chunks; done += CopyKernels.MOST_CHUNKS) {
      int count = (int) Math.min(chunks - done, CopyKernels.MOST_CHUNKS);
      long offset = done * CopyKernels.CHUNK_BYTES;
      push(blocks.range(source + offset, target + offset, count), Blocks.RANGE_BYTES);
      int groups = (count + CopyKernels.GROUP_CHUNKS - 1) / CopyKernels.GROUP_CHUNKS;
      dispatch(pipeline, new Workgroups(groups, 1, 1));
    }
  }

  private void copy(long source, long from, long target, long to, long bytes) {
    calls.cmdCopyBuffer(handle, source, target, 1, blocks.copy(from, to, bytes));
  }

  /** Writes bytes that stay in memory of this recording. */
  void update(ByteBuffer bytes, VulkanMemory target, long offset) {
    int count = bytes.remaining();
    if (count > 0) {
      ScratchMemory.Piece piece = scratch(count);
      piece.bytes().put(bytes);
      copy(
          piece.buffer(),
          piece.bufferOffset(),
          target.buffer(),
          target.bufferOffset() + offset,
          count);
    }
  }

  /**
   * Repeats a pattern.
   *
   * @param patternBytes 1, 2 or 4
   */
  void fill(VulkanMemory target, long offset, long bytes, int pattern, int patternBytes) {
    int word = pattern;
    for (int i = patternBytes; i < Integer.BYTES; i += patternBytes) {
      word = word << Byte.SIZE * patternBytes | pattern & (1 << Byte.SIZE * patternBytes) - 1;
    }
    fillWords(target, offset, bytes, word);
  }

  /** The word that continues a pattern of words behind some bytes. */
  private static int rotate(int word, int bytes) {
    return Integer.rotateRight(word, Byte.SIZE * bytes);
  }

  /**
   * Repeats the bytes of a word. The runtime fills whole words at multiples of 4 bytes; what is
   * left at both ends is copied.
   */
  private void fillWords(VulkanMemory target, long offset, long bytes, int word) {
    long start = target.bufferOffset() + offset;
    int head = (int) Math.min(bytes, -start & 3);
    long middle = (bytes - head) / Integer.BYTES * Integer.BYTES;
    int tail = (int) (bytes - head - middle);
    if (middle > 0) {
      calls.cmdFillBuffer(handle, target.buffer(), start + head, middle, rotate(word, head));
    }
    if (head + tail > 0) {
      ScratchMemory.Piece ends = scratch(2 * Integer.BYTES);
      ends.bytes().order(ByteOrder.LITTLE_ENDIAN).putInt(word).putInt(word);
      if (head > 0) {
        copy(ends.buffer(), ends.bufferOffset(), target.buffer(), start, head);
      }
      if (tail > 0) { // the middle keeps the place in the word
        copy(
            ends.buffer(),
            ends.bufferOffset() + head,
            target.buffer(),
            start + head + middle,
            tail);
      }
    }
  }

  /** Runs the commands of a recording that {@link #beginKept} has begun. */
  void execute(Recording kept) {
    calls.cmdExecuteCommands(handle, 1, blocks.buffer(kept.handle));
  }

  /** Sets the push constants of the next dispatch. */
  void push(long values, int bytes) {
    calls.cmdPushConstants(
        handle,
        device.pipelineLayout(),
        VulkanConstants.VK_SHADER_STAGE_COMPUTE_BIT,
        0,
        bytes,
        values);
  }

  void dispatch(long pipeline, Workgroups groups) {
    calls.cmdBindPipeline(handle, VulkanConstants.VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    calls.cmdDispatch(handle, groups.x(), groups.y(), groups.z());
  }

  /** As {@link #dispatch}, with the grid that a check has left in its slot. */
  void dispatchIndirect(long pipeline, GridChecks.Check check) {
    calls.cmdBindPipeline(handle, VulkanConstants.VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    calls.cmdDispatchIndirect(handle, check.buffer(), check.bufferOffset());
  }

  void close() {
    scratch.close();
  }
}
