// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.stream;

import org.jhal.driver.Command;
import org.jhal.driver.Submission;
import org.jhal.gpu.memory.PackedArguments;
import org.jhal.gpu.natives.NativeBlock;

/**
 * The arguments of a launch in native memory; see {@link PackedArguments}. The launch copies them,
 * so a stream uses one buffer for all its launches.
 *
 * <p>Not thread-safe.
 */
final class LaunchBuffer {
  private static final int USUAL_BYTES = 4096;

  private final long end;
  private NativeBlock memory;
  private int capacity; // for arguments

  LaunchBuffer(long end) {
    this.end = end;
    memory = reserve(USUAL_BYTES);
  }

  private NativeBlock reserve(int size) {
    NativeBlock made = new NativeBlock(PackedArguments.space(size));
    PackedArguments.prepare(made, 0, end);
    capacity = size;
    return made;
  }

  void set(Command dispatch, Submission submission) {
    int size = dispatch.kernel().layout().size();
    if (size > capacity) {
      memory = reserve(2 * size);
    }
    PackedArguments.set(memory, 0, dispatch);
    PackedArguments.setAddresses(memory, 0, dispatch, submission);
  }

  /** The address of the list; valid until the next launch. */
  long list() {
    return memory.address(0);
  }
}
