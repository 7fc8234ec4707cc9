package org.jhal;

import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An open device. It makes resources and has queues that work on them.
 *
 * <p>Life cycle: <em>open</em> -> maybe <em>lost</em> (after an error that the native runtime does
 * not recover from, everything fails with UNAVAILABLE and the first cause, rule Q7) ->
 * <em>closed</em>.
 *
 * <p>Opening the same device twice gives two independent objects; each refuses the buffers of the
 * other as those of another device.
 *
 * <p>Thread-safe.
 */
public interface Device extends AutoCloseable {
  /** The properties of the device. */
  DeviceInfo info();

  /** The optional features that it offers. */
  Set<Capability> capabilities();

  /** Every setting with its value in force and where the value came from. */
  List<Setting> settings();

  /** The number of queues; at least 1. */
  int queueCount();

  /**
   * Queue {@code index}.
   *
   * @throws HalException OUT_OF_RANGE if {@code index} is not in {@code [0, queueCount())}
   */
  DeviceQueue queue(int index);

  /**
   * A new timeline. It works with the queues of every device.
   *
   * @throws HalException OUT_OF_RANGE if {@code initialValue} is negative; FAILED_PRECONDITION if
   *     the device is closed
   */
  TimelineSemaphore createSemaphore(long initialValue);

  /** A new timeline at 0; short for {@code createSemaphore(0)}. */
  default TimelineSemaphore createSemaphore() {
    return createSemaphore(0);
  }

  /**
   * A new sequence of steps, on a timeline of its own.
   *
   * @throws HalException FAILED_PRECONDITION if the device is closed
   */
  default Sequence createSequence() {
    return new Sequence(createSemaphore());
  }

  /** Makes buffers. */
  Allocator allocator();

  /** Short for {@link Allocator#allocate}. */
  default DeviceBuffer allocate(long bytes, BufferParams params) {
    return allocator().allocate(bytes, params);
  }

  /**
   * A new, empty recording.
   *
   * @throws HalException FAILED_PRECONDITION if the device is closed; UNAVAILABLE if it is lost
   */
  CommandBuffer createCommandBuffer(CommandBuffer.Mode mode);

  /** The formats of kernels that this device can load, such as {@code java} or {@code cuda-ptx}. */
  Set<String> executableFormats();

  /**
   * Loads the first variant of the bundle that this device can load.
   *
   * @throws HalException INVALID_ARGUMENT if the manifest is malformed; NOT_FOUND if the manifest,
   *     a file or a kernel is missing; UNIMPLEMENTED if no variant can be loaded, with a line for
   *     each variant that says why; OUT_OF_RANGE if a kernel's workgroups are larger than the
   *     device or the kernel allows ({@link DeviceInfo#maxWorkgroupSize}, {@link
   *     DeviceInfo#maxWorkgroupItems}), or need more shared memory than there is ({@link
   *     DeviceInfo#maxSharedMemory}); FAILED_PRECONDITION if the device is closed; UNAVAILABLE if
   *     it is lost
   */
  Executable loadExecutable(ExecutableSource source);

  /**
   * Opens a file for {@link DeviceQueue#read} and {@link DeviceQueue#write}. This happens at the
   * call, on the calling thread.
   *
   * @param options those of {@link FileChannel#open(Path, OpenOption...)}, except for {@link
   *     java.nio.file.StandardOpenOption#APPEND}; if there are none, the file is opened for reading
   * @throws HalException NOT_FOUND if there is no such file or folder; PERMISSION_DENIED if the
   *     operating system denies the access; FAILED_PRECONDITION if {@code path} is a folder, if the
   *     file exists and must not, or if the device is closed; INVALID_ARGUMENT for APPEND, which
   *     contradicts positions, and for options that contradict each other; UNIMPLEMENTED if the
   *     file system does not offer this; RESOURCE_EXHAUSTED if it is full; ABORTED for any other
   *     {@link java.io.IOException}, which is the cause; UNAVAILABLE if the device is lost
   */
  DeviceFile openFile(Path path, OpenOption... options);

  /**
   * Makes a file of a channel that the program has opened, and goes on to own: closing the result
   * does not close the channel. Its position is neither used nor changed.
   *
   * <p>If the channel is closed while operations use the file, they fail with FAILED_PRECONDITION.
   * That happens, too, if a thread of the program is interrupted while it uses the channel, as
   * {@link java.nio.channels.InterruptibleChannel} explains. JHAL's own threads are not interrupted
   * in it.
   *
   * @param channel is used by a thread of the device, where nobody may wait for a timeline; not in
   *     append mode: what is written would go to the end of the file, whatever position is named,
   *     and no error would tell
   * @throws HalException FAILED_PRECONDITION if the channel or the device is closed; UNAVAILABLE if
   *     the device is lost
   */
  DeviceFile wrapFile(FileChannel channel);

  /**
   * Whether operations of this device's queues can use the memory of {@code other} directly. Then
   * copies between the two are one native copy, and {@link Allocator#importPeer} makes {@code
   * other}'s buffers usable here. It need not hold the other way round. Copies work in any case.
   * True for the device itself. Always the same while both devices are open; false once one of them
   * is closed.
   */
  boolean canAccess(Device other);

  /**
   * What the driver tells about the device in terms of its own runtime, for programs that use that
   * runtime beside JHAL. The documentation of a driver names the types that it offers.
   *
   * @throws HalException INVALID_ARGUMENT if the driver offers no {@code type}; the message lists
   *     what it offers. FAILED_PRECONDITION if the device is closed
   */
  <T> T unwrap(Class<T> type);

  /** What the device holds right now, and what it has done so far. */
  DeviceStatistics statistics();

  /**
   * Why the device is lost, or null while it is not. It names no {@linkplain HalException#operation
   * operation}: the message says behind which one the loss was seen, if behind one.
   */
  @Nullable HalException lostCause();

  /** Whether {@link #close()} has begun. */
  boolean isClosed();

  /**
   * Closes the device (rule Q8):
   *
   * <ul>
   *   <li>New work is refused.
   *   <li>Work that was not issued yet, because it waits for something that only the host sees,
   *       fails with CANCELLED.
   *   <li>Work that was issued runs and is waited for, even if it still waits on the device for
   *       other issued work, up to the setting {@code close-timeout}. Then everything native is
   *       freed.
   *   <li>Past that deadline the remaining signals fail with DEADLINE_EXCEEDED, this is logged, and
   *       everything native stays allocated until the work ends, if it ever does.
   * </ul>
   *
   * <p>Closing twice is harmless; a second caller returns when the device is closed. Buffers,
   * command buffers, executables and semaphores may be closed later.
   *
   * @throws HalException FAILED_PRECONDITION if called from a callback, a host call or another
   *     thread of a device
   */
  @Override
  void close();

  /** How long {@link #close()} waits unless the setting says otherwise. */
  Duration DEFAULT_CLOSE_TIMEOUT = Duration.ofSeconds(10);
}
