// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.util.List;

/**
 * Kernels that are loaded for one device. An executable may be closed while dispatches use it, and
 * after its device.
 *
 * <p>Thread-safe.
 */
public interface Executable extends AutoCloseable {
  /** Returns the device that the executable was loaded for. */
  Device device();

  /** Returns the format of the variant that was loaded, such as {@code java}. */
  String format();

  /**
   * Returns why the device skipped the variants before the one that it loaded, one line each; empty
   * if it loaded the first one.
   */
  List<String> refusals();

  /** Returns all kernels, in the order of the manifest. */
  List<Kernel> kernels();

  /**
   * Returns the kernel called {@code name}.
   *
   * @throws HalException NOT_FOUND if there is none, with a list of the kernels that exist
   */
  Kernel kernel(String name);

  /**
   * Returns the kernel at {@code index}.
   *
   * @throws HalException OUT_OF_RANGE if {@code index} is not in {@code [0, kernels().size())}
   */
  default Kernel kernel(int index) {
    List<Kernel> all = kernels();
    if (index < 0 || index >= all.size()) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          "kernel index " + index + " of an executable with " + all.size() + " kernels");
    }
    return all.get(index);
  }

  /**
   * Returns the variables of the code that the manifest declares, in its order. {@link #global}
   * returns their memory.
   */
  default List<Global> globals() {
    return List.of();
  }

  /**
   * Returns the memory of a variable of the code, as a buffer to copy, fill, upload and read back
   * (rule M8b). At first it has the value that the source gives it. Each loaded executable has its
   * own.
   *
   * <p>The buffer may be used until the executable is closed; closing the buffer does nothing. It
   * has the usages {@link BufferUsage#TRANSFER_SOURCE} and {@link BufferUsage#TRANSFER_TARGET}.
   *
   * @param name one of the {@link #globals}
   * @throws HalException NOT_FOUND if there is none of this name, with a list of those that exist;
   *     UNIMPLEMENTED without {@link Capability#KERNEL_GLOBALS}, and for kernels in Java;
   *     FAILED_PRECONDITION if the executable or its device is closed
   */
  default DeviceBuffer global(String name) {
    throw new HalException(
        Status.UNIMPLEMENTED, device() + " gives no access to variables of kernels");
  }

  /**
   * Closes the executable. It is unloaded when the last operation or command buffer that uses it
   * has released it. Closing twice is harmless.
   */
  @Override
  void close();
}
