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
   * Closes the executable. It is unloaded when the last operation or command buffer that uses it
   * has released it. Closing twice is harmless.
   */
  @Override
  void close();
}
