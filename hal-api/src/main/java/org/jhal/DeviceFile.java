// SPDX-License-Identifier: Apache-2.0
package org.jhal;

/**
 * A file that a device reads into its buffers and writes from them ({@link DeviceQueue#read},
 * {@link DeviceQueue#write}). {@link Device#openFile} opens a file; {@link Device#wrapFile} creates
 * one from a channel that the program has opened.
 *
 * <p>Operations name the positions at which they read and write. The file has no position of its
 * own, is not locked, and is not forced to the storage device. For that, use {@link
 * java.nio.channels.FileChannel#lock} and {@link java.nio.channels.FileChannel#force} of a channel
 * of the program.
 *
 * <p>The file belongs to its device: the queues of other devices reject it. It may be closed after
 * the device.
 *
 * <p>Contract: rule M9. Thread-safe.
 */
public interface DeviceFile extends AutoCloseable {
  /** Returns the device that has created the file. */
  Device device();

  /**
   * Closes the file: new operations with it are rejected, and those that use it still run. A file
   * from {@link Device#openFile} is closed soon after the last of them has ended. If there is none,
   * it is closed when this returns, or soon after that if this is called on a thread of a device.
   * Once an operation has raised its signals, it no longer uses the file. A wrapped channel stays
   * open.
   *
   * <p>Closing twice is harmless. A file that is never closed is closed when the garbage collector
   * reclaims it, without a report.
   *
   * @throws HalException ABORTED, or RESOURCE_EXHAUSTED for a full file system, if the operating
   *     system reports an error when the file is closed, such as a failed write to a network drive;
   *     the file is closed nevertheless
   */
  @Override
  void close();
}
