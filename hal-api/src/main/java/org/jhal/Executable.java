package org.jhal;

import java.util.List;

/**
 * Kernels that are loaded for one device. An executable may be closed while dispatches use it, and
 * after its device.
 *
 * <p>Thread-safe.
 */
public interface Executable extends AutoCloseable {
  /** The device that the executable was loaded for. */
  Device device();

  /** The format of the variant that was loaded, such as {@code java}. */
  String format();

  /**
   * Why the variants before the loaded one were refused, one line each; empty if the first one was
   * taken.
   */
  List<String> refusals();

  /** All kernels, in the order of the manifest. */
  List<Kernel> kernels();

  /**
   * The kernel called {@code name}.
   *
   * @throws HalException NOT_FOUND if there is none; the message lists the kernels that exist
   */
  Kernel kernel(String name);

  /**
   * The kernel at {@code index}.
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
   * Closes the executable. It is unloaded when the last operation that uses it has retired. Closing
   * twice is harmless.
   */
  @Override
  void close();
}
