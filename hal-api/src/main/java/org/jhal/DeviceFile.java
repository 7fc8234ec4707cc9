package org.jhal;

/**
 * A file that a device reads into its buffers and writes from them ({@link DeviceQueue#read},
 * {@link DeviceQueue#write}). {@link Device#openFile} opens one; {@link Device#wrapFile} makes one
 * of a channel that the program has opened.
 *
 * <p>Bytes are read and written at positions that the operations name. The file has no position of
 * its own, is not locked, and is not forced to the storage device: {@link
 * java.nio.channels.FileChannel#lock} and {@link java.nio.channels.FileChannel#force} of a channel
 * of the program's own do that.
 *
 * <p>It belongs to its device: the queues of other devices refuse it. It may be closed after the
 * device.
 *
 * <p>Contract: rule M9. Thread-safe.
 */
public interface DeviceFile extends AutoCloseable {
  /** The device that it was made by. */
  Device device();

  /**
   * Refuses new operations with the file. Those that use it still run, and a file from {@link
   * Device#openFile} is closed soon after the last of them is over. If there is none, it is closed
   * when this returns, or soon after that if this is called on a thread of a device. After an
   * operation has raised its signals, it does not use the file any more. A wrapped channel is left
   * open.
   *
   * <p>Closing twice is harmless. A file that nobody closes is closed when the garbage collector
   * finds it, without a report.
   *
   * @throws HalException if the operating system reports that the file could not be closed without
   *     an error, such as a failed write to a network drive; the file is closed nevertheless
   */
  @Override
  void close();
}
