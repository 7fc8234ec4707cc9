package org.jhal.driver;

/** What the host does for an operation after its native work and before its signals. */
@FunctionalInterface
public interface HostCompletion {
  /**
   * Does it. Not called if the operation has failed before.
   *
   * @throws Exception fails the operation: a {@link org.jhal.HalException} as it is, any other as
   *     the cause of an ABORTED. With status UNAVAILABLE the device is lost.
   */
  void run() throws Exception;

  /** Gives back what the tail holds, such as staging memory. Called once, whether or not it ran. */
  default void retire() {}
}
