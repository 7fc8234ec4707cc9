package org.jhal;

import java.util.List;

/**
 * Kernels, loaded for one device. May be closed while dispatches use it, and after its device.
 *
 * <p>Thread-safe.
 */
public interface Executable extends AutoCloseable {
  /** The device that it was loaded for. */
  Device device();

  /** The format of the variant that was loaded, such as {@code java}. */
  String format();

  /**
   * Why the variants before the loaded one were refused, one line each; empty if the first one was
   * taken.
   */
  List<String> refusals();

  /** All functions, in the order of the manifest. */
  List<Function> functions();

  /**
   * The function called {@code name}.
   *
   * @throws HalException NOT_FOUND if there is none; the message lists those that there are
   */
  Function function(String name);

  /**
   * The function at {@code index}.
   *
   * @throws HalException OUT_OF_RANGE if {@code index} is not in {@code [0, functions().size())}
   */
  default Function function(int index) {
    List<Function> all = functions();
    if (index < 0 || index >= all.size()) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          "function index " + index + " of an executable with " + all.size() + " functions");
    }
    return all.get(index);
  }

  /**
   * Gives it up; it is unloaded when the last operation that uses it has retired. Twice is
   * harmless.
   */
  @Override
  void close();
}
