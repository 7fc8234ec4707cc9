// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.nio.ByteBuffer;
import org.jhal.Parameter;
import org.jhal.Workgroups;
import org.jhal.driver.Command;
import org.jhal.driver.LoadedKernel;
import org.jhal.driver.Operand;
import org.jhal.driver.Submission;
import org.jhal.gpu.natives.NativeBlock;

/**
 * The arguments of dispatches: in push constants if they are few, else in memory whose address is
 * pushed.
 *
 * <p>Used by the thread that issues.
 */
final class Arguments {
  /** How many bytes every device takes as push constants. */
  static final int MAX_PUSHED = 128;

  private final NativeBlock pushed = new NativeBlock(MAX_PUSHED);

  /** Pushes the arguments of a dispatch. */
  void push(Command command, Submission submission, Recording recording) {
    LoadedKernel kernel = command.kernel();
    int size = kernel.layout().size();
    if (size == 0) {
      return;
    }
    ByteBuffer push = pushed.bytes();
    if (size <= MAX_PUSHED) {
      write(command, submission, push);
      recording.push(pushed.address(0), (size + 3) / 4 * 4);
      return;
    }
    ScratchMemory.Piece piece = recording.scratch(size);
    write(command, submission, piece.bytes());
    push.putLong(0, piece.address());
    recording.push(pushed.address(0), Long.BYTES);
  }

  /** Pushes what the kernel of a check reads: where the counts are, where they go, the limit. */
  void push(GridChecks.Check check, long counts, Recording recording) {
    Workgroups most = check.most();
    pushed
        .bytes()
        .putLong(0, counts)
        .putLong(8, check.address())
        .putInt(16, most.x())
        .putInt(20, most.y())
        .putInt(24, most.z());
    recording.push(pushed.address(0), 28);
  }

  /** Pushes zeros. */
  void pushNone(Recording recording) {
    for (int i = 0; i < MAX_PUSHED; i += Long.BYTES) {
      pushed.bytes().putLong(i, 0);
    }
    recording.push(pushed.address(0), MAX_PUSHED);
  }

  private static void write(Command command, Submission submission, ByteBuffer target) {
    LoadedKernel kernel = command.kernel();
    target.put(0, command.array(), 0, kernel.layout().size());
    for (int i = 0; i < kernel.parameterCount(); i++) {
      if (kernel.parameter(i).kind() == Parameter.Kind.BUFFER) {
        Operand buffer = command.argument(i);
        VulkanMemory memory = (VulkanMemory) submission.memory(buffer);
        target.putLong(kernel.layout().offset(i), memory.address() + submission.offset(buffer));
      }
    }
  }
}
