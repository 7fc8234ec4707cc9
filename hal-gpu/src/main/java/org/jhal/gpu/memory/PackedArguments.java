// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.memory;

import java.nio.ByteBuffer;
import org.jhal.Parameter;
import org.jhal.driver.Command;
import org.jhal.driver.LoadedKernel;
import org.jhal.driver.Submission;
import org.jhal.gpu.natives.NativeBlock;
import org.jhal.gpu.runtime.GpuMemory;
import org.jhal.kernels.bundle.ArgumentLayout;

/**
 * The arguments of a launch, packed in native memory, in the form that native launches take as
 * {@code extra}: a list with the address and the size of a block, followed by the block.
 *
 * <p>Not thread-safe.
 */
public final class PackedArguments {
  // LAUNCH_PARAM_BUFFER_POINTER and _SIZE of the runtimes. The vendors' end words differ.
  private static final long BUFFER_POINTER = 1;
  private static final long BUFFER_SIZE = 2;

  private static final int LIST_BYTES = 48; // five words, and the size that the fourth points to
  private static final int SIZE_AT = 40;
  private static final int ALIGNMENT = 16;

  private PackedArguments() {}

  /** How many bytes arguments of {@code size} bytes take up with their list. */
  public static int space(int size) {
    return (LIST_BYTES + size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }

  /**
   * Writes a list at {@code at}.
   *
   * @param end the word that ends the list
   */
  public static void prepare(NativeBlock memory, int at, long end) {
    memory
        .bytes()
        .putLong(at, BUFFER_POINTER)
        .putLong(at + 8, memory.address(at + LIST_BYTES))
        .putLong(at + 16, BUFFER_SIZE)
        .putLong(at + 24, memory.address(at + SIZE_AT))
        .putLong(at + 32, end);
  }

  /** Sets the arguments of the list at {@code at} to those of a dispatch, addresses apart. */
  public static void set(NativeBlock memory, int at, Command dispatch) {
    int size = dispatch.kernel().layout().size();
    ByteBuffer bytes = memory.bytes();
    bytes.putLong(at + SIZE_AT, size);
    bytes.put(at + LIST_BYTES, dispatch.array(), 0, size);
  }

  /** The address of the arguments of the list at {@code at}. */
  public static long address(NativeBlock memory, int at) {
    return memory.address(at + LIST_BYTES);
  }

  /** Sets the addresses in the arguments of the list at {@code at} to those of a submission. */
  public static void setAddresses(
      NativeBlock memory, int at, Command dispatch, Submission submission) {
    LoadedKernel kernel = dispatch.kernel();
    ArgumentLayout layout = kernel.layout();
    for (int i = 0; i < kernel.parameterCount(); i++) {
      if (kernel.parameter(i).kind() == Parameter.Kind.BUFFER) {
        memory
            .bytes()
            .putLong(
                at + LIST_BYTES + layout.offset(i),
                GpuMemory.address(dispatch.argument(i), submission));
      }
    }
  }
}
