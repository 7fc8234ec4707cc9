package org.jhal;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An open device: makes resources, and has queues that work on them.
 *
 * <p>Life cycle: <em>open</em> -> maybe <em>lost</em> (after an error that the native runtime does
 * not recover from, everything fails with UNAVAILABLE and the first cause, rule Q7) ->
 * <em>closed</em>.
 *
 * <p>Opening the same device twice gives two independent objects; buffers of one are foreign to the
 * other.
 *
 * <p>Thread-safe.
 */
public interface Device extends AutoCloseable {
  /** What is known of it. */
  DeviceInfo info();

  /** What it offers beyond what all devices do. */
  Set<Capability> capabilities();

  /** Every setting in force and where it came from. */
  List<Setting> settings();

  /** How many queues it has; at least 1. */
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

  /** The formats of kernels that it can load. */
  Set<String> executableFormats();

  /**
   * Loads the first variant of the bundle that this device can load.
   *
   * @throws HalException INVALID_ARGUMENT if the manifest is malformed; NOT_FOUND if there is no
   *     manifest, a file or a kernel is missing; UNIMPLEMENTED if no variant can be loaded, with a
   *     line for each that says why; OUT_OF_RANGE if a kernel's workgroups are larger than the
   *     device or the kernel allows ({@link DeviceInfo#maxWorkgroupSize}, {@link
   *     DeviceInfo#maxWorkgroupItems}), or need more shared memory; FAILED_PRECONDITION if the
   *     device is closed; UNAVAILABLE if it is lost
   */
  Executable loadExecutable(ExecutableSource source);

  /** What it holds right now. */
  DeviceStatistics statistics();

  /** Why the device is lost, or null while it is not. */
  @Nullable HalException lostCause();

  /** Whether {@link #close()} has begun. */
  boolean isClosed();

  /**
   * Closes the device (rule Q8): new work is refused; work that was issued runs and is waited for,
   * also such work as waits on the device itself for other issued work; work that was not issued,
   * because the host must still do something for it, is failed with CANCELLED. The wait takes up to
   * the setting {@code close-timeout}, then everything native is freed. Past the deadline the
   * signals that are left fail with DEADLINE_EXCEEDED, it is logged, and everything native stays
   * until that work ends, if it ever does.
   *
   * <p>Twice is harmless, and a second caller returns when the device is closed. Buffers, command
   * buffers, executables and semaphores may be closed later.
   *
   * @throws HalException FAILED_PRECONDITION if called from a callback, a host call or another
   *     thread of a device
   */
  @Override
  void close();

  /** How long {@link #close()} waits unless the setting says otherwise. */
  Duration DEFAULT_CLOSE_TIMEOUT = Duration.ofSeconds(10);
}
