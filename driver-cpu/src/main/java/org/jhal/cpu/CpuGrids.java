// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cpu.runtime.Failure;
import org.jhal.cpu.runtime.HalRuntime;
import org.jhal.driver.Submission;

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

  private final long pool;
  private int size; // of the memory in bytes
  private long address; // 0 for none
  private ByteBuffer memory = ByteBuffer.allocate(0);

  /**
   * For the threads of a pool.
   *
   * @param pool see {@link HalRuntime#hal_pool_open}
   */
  CpuGrids(long pool) {
    this.pool = pool;
  }

  /**
   * Runs dispatches of an operation one after the other, and waits for them. If one fails, so does
   * the operation, and those behind it run all the same.
   *
   * @param grids at most {@link #MOST}
   */
  void run(List<CpuGrid> grids, Submission submission) {
    write(grids);
    int count = grids.size();
    for (int at = 0; at < count; ) {
      int failure =
          HalRuntime.hal_pool_run(
              pool, address + START + (long) CpuGrid.BYTES * at, count - at, address);
      at += memory.getInt(0);
      if (failure != 0) {
        submission.fail(Failure.of(failure, grids.get(at - 1).kernel()));
      }
    }
  }

  private void write(List<CpuGrid> grids) {
    int arguments = START + CpuGrid.BYTES * grids.size();
    int needed = arguments;
    for (CpuGrid grid : grids) {
      needed += grid.argumentBytes();
    }
    reserve(needed);
    int at = START;
    for (CpuGrid grid : grids) {
      grid.write(memory, address, at, arguments);
      at += CpuGrid.BYTES;
      arguments += grid.argumentBytes();
    }
  }

  private void reserve(int bytes) {
    if (bytes <= size) {
      return;
    }
    close();
    address = HalRuntime.hal_memory_allocate(2L * bytes);
    if (address == 0) {
      throw new HalException(
          Status.RESOURCE_EXHAUSTED,
          "no memory for the arguments of kernels, " + 2L * bytes + " bytes");
    }
    size = 2 * bytes;
    memory = new Pointer(address).getByteBuffer(0, size).order(ByteOrder.nativeOrder());
  }

  /** Frees the memory. */
  void close() {
    HalRuntime.hal_memory_free(address); // 0 is allowed
    address = 0;
    size = 0;
  }
}
