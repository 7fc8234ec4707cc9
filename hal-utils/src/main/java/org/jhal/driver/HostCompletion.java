package org.jhal.driver;

/** Work that the host does for an operation after its native work and before its signals. */
@FunctionalInterface
public interface HostCompletion {
  /**
   * Does the work. Not called if the operation has already failed.
   *
   * @throws Exception fails the operation: a {@link org.jhal.HalException} as it is, any other
   *     exception as the cause of an ABORTED one. With status UNAVAILABLE the device is lost.
   */
  void run() throws Exception;

  /**
   * Releases what this holds, such as staging memory. Called once, whether or not {@link #run} was.
   */
  default void retire() {}
}
