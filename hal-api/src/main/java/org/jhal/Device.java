package org.jhal;

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
   *     DeviceInfo#maxWorkgroupItems}), or need more shared memory than there is;
   *     FAILED_PRECONDITION if the device is closed; UNAVAILABLE if it is lost
   */
  Executable loadExecutable(ExecutableSource source);

  /** What the device holds right now. */
  DeviceStatistics statistics();

  /** Why the device is lost, or null while it is not. */
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
