// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cpu.runtime.Failure;
import org.jhal.cpu.runtime.HalRuntime;
import org.jhal.driver.Submission;
import org.jspecify.annotations.Nullable;

/**
 * Has the device's threads run dispatches that follow each other: they go through many of them
 * before the caller's thread has to act.
 *
 * <p>For one thread.
 */
final class CpuGrids {
  /** How many dispatches are handed over at once; it bounds the memory that they are written to. */
  static final int MOST = 256;

  private static final int START = 64; // of the grids, behind the number of those that have ended

  private final CpuThreads threads;
  private final @Nullable CpuCheck check;
  private int size; // of the memory in bytes
  private @Nullable Block block; // the memory
  private long address; // its
  private int blocksAt; // where the blocks of buffers are written
  private int blockCount;
  private ByteBuffer memory = ByteBuffer.allocate(0);

  /**
   * For the threads of a stream.
   *
   * @param check what checks dispatches, or null
   */
  CpuGrids(CpuThreads threads, @Nullable CpuCheck check) {
    this.threads = threads;
    this.check = check;
  }

  /**
   * Runs dispatches of an operation one after the other, and waits for them. If one fails, so does
   * the operation, and those behind it run all the same.
   *
   * @param grids at most {@link #MOST}
   */
  void run(List<CpuGrid> grids, Submission submission) {
    if (check == null) {
      runAll(grids, submission::fail);
      return;
    }
    for (CpuGrid grid : grids) {
      List<CpuGrid> one = List.of(grid);
      CheckedCode code = grid.code();
      if (code == null) {
        runAll(one, submission::fail);
      } else {
        check.run(grid, code, submission::fail, failed -> runAll(one, failed));
      }
    }
  }

  private void runAll(List<CpuGrid> grids, Consumer<HalException> failed) {
    write(grids);
    int count = grids.size();
    for (int at = 0; at < count; ) {
      int failure =
          HalRuntime.hal_pool_run(
              threads.pool(),
              threads.rank(),
              address + START + (long) CpuGrid.BYTES * at,
              count - at,
              address);
      at += memory.getInt(0);
      if (failure != 0) {
        CpuGrid grid = grids.get(at - 1);
        String where = grid.nearest(HalRuntime.hal_failure_address());
        failed.accept(Failure.of(failure, grid.kernel(), where));
      }
    }
    check(grids, failed);
  }

  /** Fails the operation if memory outside one of its buffers was overwritten. */
  private void check(List<CpuGrid> grids, Consumer<HalException> failed) {
    while (true) {
      long found = HalRuntime.hal_memory_check(address + blocksAt, blockCount);
      if (found == 0) {
        break;
      }
      int index = (int) (found >> Integer.SIZE);
      failed.accept(failure(grids, memory.getLong(blocksAt + Long.BYTES * index), found));
    }
    for (CpuGrid grid : grids) {
      for (Block used : grid.blocks()) {
        if (used != null) {
          used.usedBy(grid.label());
        }
      }
    }
  }

  private static HalException failure(List<CpuGrid> grids, long handle, long found) {
    List<CpuGrid> users = grids.stream().filter(grid -> grid.indexOf(handle) >= 0).toList();
    CpuGrid first = users.get(0);
    int index = first.indexOf(handle);
    return Overwritten.failure(
        users.stream().map(CpuGrid::label).distinct().toList(),
        first.parameter(index),
        Objects.requireNonNull(first.blocks()[index]),
        found);
  }

  private void write(List<CpuGrid> grids) {
    int arguments = START + CpuGrid.BYTES * grids.size();
    int needed = arguments;
    for (CpuGrid grid : grids) {
      needed += grid.argumentBytes();
    }
    blocksAt = needed;
    for (CpuGrid grid : grids) {
      needed += Long.BYTES * grid.blocks().length;
    }
    reserve(needed);
    writeBlocks(grids);
    int at = START;
    for (CpuGrid grid : grids) {
      grid.write(memory, address, at, arguments);
      at += CpuGrid.BYTES;
      arguments += grid.argumentBytes();
    }
  }

  /** Writes each block once if a kernel follows itself, as in a loop. */
  private void writeBlocks(List<CpuGrid> grids) {
    int at = blocksAt;
    @Nullable Block[] before = {};
    for (CpuGrid grid : grids) {
      @Nullable Block[] used = grid.blocks();
      for (int i = 0; i < used.length; i++) {
        Block one = used[i];
        if (one != null && (i >= before.length || before[i] != one)) {
          memory.putLong(at, one.handle());
          at += Long.BYTES;
        }
      }
      before = used;
    }
    blockCount = (at - blocksAt) / Long.BYTES;
  }

  private void reserve(int bytes) {
    if (bytes <= size) {
      return;
    }
    close();
    Block more = Block.allocate(2L * bytes, null);
    if (more == null) {
      throw new HalException(
          Status.RESOURCE_EXHAUSTED,
          "no memory for the arguments of kernels, " + 2L * bytes + " bytes");
    }
    block = more;
    size = 2 * bytes;
    address = more.address();
    memory = new Pointer(address).getByteBuffer(0, size).order(ByteOrder.nativeOrder());
  }

  /** Frees the memory. */
  void close() {
    if (block != null) {
      block.free();
    }
    block = null;
    size = 0;
  }
}
