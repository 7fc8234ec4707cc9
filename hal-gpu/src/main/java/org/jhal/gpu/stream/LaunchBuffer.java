// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.stream;

import org.jhal.driver.Command;
import org.jhal.driver.LoadedKernel;
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
  private NativeBlock places = new NativeBlock(64 * Long.BYTES); // of arguments

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

  /**
   * The address of an array with the address of each argument, for launches that take no list;
   * valid until the next launch.
   */
  long parameters(LoadedKernel kernel) {
    int count = kernel.parameterCount();
    if (places.bytes().capacity() < Long.BYTES * count) {
      places = new NativeBlock(2 * Long.BYTES * count);
    }
    for (int i = 0; i < count; i++) {
      places
          .bytes()
          .putLong(Long.BYTES * i, PackedArguments.address(memory, 0) + kernel.layout().offset(i));
    }
    return places.address(0);
  }

  /** The address of the list; valid until the next launch. */
  long list() {
    return memory.address(0);
  }
}
