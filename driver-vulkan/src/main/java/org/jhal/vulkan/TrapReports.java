// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.System.Logger.Level;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;
import org.jhal.MemoryType;
import org.jspecify.annotations.Nullable;

/**
 * Logs which work item of a kernel gave up, at a trap or a failed assertion, and in which line: the
 * first one of each kernel. The kernel writes that to memory of the host, as docs/spirv.md says.
 * Its operation does not fail, as nothing says which operation it was.
 *
 * <p>Thread-safe.
 */
final class TrapReports {
  /** Where reports go. */
  static final String LOGGER = TrapReports.class.getName();

  private static final System.Logger LOG = System.getLogger(LOGGER);
  private static final VarHandle WORD =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

  private static final int BYTES = 64;
  private static final int EMPTY = 0;
  private static final int COMPLETE = 2; // 1 while a work item writes it

  // Offsets in the report.
  private static final int STATE = 0;
  private static final int KERNEL = 4;
  private static final int LINE = 8;
  private static final int GROUP = 12;
  private static final int ITEM = 24;

  private final StagingRange memory;
  private final ByteBuffer report;

  /** Those that have not given up yet, by number. */
  @GuardedBy("this")
  private final Map<Integer, String> kernels = new HashMap<>();

  @GuardedBy("this")
  private int last;

  TrapReports(LogicalDevice device) {
    memory = new StagingRange(device.memory(MemoryType.HOST), BYTES);
    report = memory.map(0, BYTES).bytes();
    report.putInt(STATE, EMPTY);
  }

  /** The device's address of the report. */
  long address() {
    return memory.address();
  }

  /** Adds a kernel, and returns its number in reports. */
  synchronized int add(String kernel) {
    kernels.put(++last, kernel);
    return last;
  }

  /** Removes a kernel that no operation runs any more. */
  synchronized void remove(int number) {
    look();
    kernels.remove(number);
  }

  /** Logs what was reported, when an operation is over. */
  void look() {
    if ((int) WORD.getAcquire(report, STATE) == COMPLETE) {
      take();
    }
  }

  private void take() {
    String kernel;
    String where;
    synchronized (this) {
      if (report.getInt(STATE) != COMPLETE) {
        return; // another thread has taken it
      }
      kernel = kernels.remove(report.getInt(KERNEL));
      int line = report.getInt(LINE);
      where =
          "work item "
              + position(ITEM)
              + " of workgroup "
              + position(GROUP)
              + (line == 0 ? "" : ", in line " + line);
      WORD.setRelease(report, STATE, EMPTY);
    }
    log(kernel, where);
  }

  private static void log(@Nullable String kernel, String where) {
    if (kernel != null) {
      LOG.log(Level.WARNING, kernel + " gave up, at a trap or a failed assertion: " + where);
    }
  }

  private String position(int offset) {
    return "(%s, %s, %s)"
        .formatted(
            Integer.toUnsignedString(report.getInt(offset)),
            Integer.toUnsignedString(report.getInt(offset + 4)),
            Integer.toUnsignedString(report.getInt(offset + 8)));
  }

  void close() {
    look();
    memory.free();
  }
}
