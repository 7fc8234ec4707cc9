// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An open device. It creates resources, and has queues that work on them.
 *
 * <p>Life cycle: <em>open</em> -> maybe <em>lost</em> (after an error from which the native runtime
 * does not recover, everything fails with UNAVAILABLE and the first cause, rule Q7) ->
 * <em>closed</em>.
 *
 * <p>Opening the same device twice returns two independent objects. Each rejects the buffers of the
 * other one, as those of another device.
 *
 * <p>A shutdown hook closes a device that is still open when the JVM exits (rule Q8); see {@link
 * #setExitPatience}.
 *
 * <p>Thread-safe.
 */
public interface Device extends AutoCloseable {
  /** Returns the properties of the device. */
  DeviceInfo info();

  /** Returns the optional features that the device offers. */
  Set<Capability> capabilities();

  /** Returns every setting with the value in force and the origin of the value. */
  List<Setting> settings();

  /** Returns the number of queues, which is at least 1. */
  int queueCount();

  /**
   * Returns queue {@code index}.
   *
   * @throws HalException OUT_OF_RANGE if {@code index} is not in {@code [0, queueCount())}
   */
  DeviceQueue queue(int index);

  /**
   * Makes a queue with a priority and a share of the device, beside those of {@link #queue}. It
   * says what it {@linkplain AcquiredQueue#granted really got}: a device may give less than was
   * requested (rule Q12). The caller closes it.
   *
   * <p>A share is taken from all other queues, also from those that exist: their kernels that begin
   * later run on what is left. At least one compute unit is left for the queues without a share.
   *
   * @throws HalException RESOURCE_EXHAUSTED if the shares of all acquired queues would be more than
   *     1, or nothing is left of the device for this one, with what is left; if {@link
   *     #MAX_ACQUIRED_QUEUES} exist, or as many as {@link DeviceInfo#maxQueues} allows; or if there
   *     is no memory, or no thread can be started. UNIMPLEMENTED for a share of a device without
   *     {@link Capability#QUEUE_SHARE}, with the reason; FAILED_PRECONDITION if the device is
   *     closed; UNAVAILABLE if it is lost
   */
  AcquiredQueue acquireQueue(QueueRequest request);

  /** How many queues a device can have acquired at a time. */
  int MAX_ACQUIRED_QUEUES = 64;

  /**
   * Creates a timeline, which works with the queues of every device. The caller closes it.
   *
   * @throws HalException OUT_OF_RANGE if {@code initialValue} is negative; FAILED_PRECONDITION if
   *     the device is closed
   */
  TimelineSemaphore createSemaphore(long initialValue);

  /** Creates a timeline at 0; short for {@code createSemaphore(0)}. */
  default TimelineSemaphore createSemaphore() {
    return createSemaphore(0);
  }

  /**
   * Creates a sequence of steps, on a timeline of its own. The caller closes it.
   *
   * @throws HalException FAILED_PRECONDITION if the device is closed
   */
  default Sequence createSequence() {
    return new Sequence(createSemaphore());
  }

  /** Returns the allocator of this device's buffers. */
  Allocator allocator();

  /** Allocates a buffer; short for {@link Allocator#allocate}. */
  default DeviceBuffer allocate(long bytes, BufferParams params) {
    return allocator().allocate(bytes, params);
  }

  /**
   * Allocates device memory for {@code count} elements of {@code type}: {@code
   * device.allocate(ElementType.F32, 1000)}.
   *
   * @throws HalException OUT_OF_RANGE if {@code count} is negative or needs more than {@link
   *     Long#MAX_VALUE} bytes; otherwise as {@link Allocator#allocate}
   */
  default DeviceBuffer allocate(ElementType type, long count) {
    return allocate(type, count, BufferParams.DEVICE);
  }

  /** Allocates a buffer as {@link #allocate(ElementType, long)}, with other parameters. */
  default DeviceBuffer allocate(ElementType type, long count, BufferParams params) {
    return allocate(Objects.requireNonNull(type, "type").bytes(count), params);
  }

  /**
   * Creates a budget for allocas on the queues of this device.
   *
   * @throws HalException FAILED_PRECONDITION if the device is closed; UNAVAILABLE if it is lost
   */
  MemoryPool createPool(PoolRequest request);

  /**
   * Creates a command buffer, in which no command is recorded yet. The caller closes it.
   *
   * @throws HalException FAILED_PRECONDITION if the device is closed; UNAVAILABLE if it is lost
   */
  CommandBuffer createCommandBuffer(CommandBuffer.Mode mode);

  /**
   * Returns the formats of kernels that this device can load, such as {@code java} or {@code
   * cuda-ptx}.
   */
  Set<String> executableFormats();

  /**
   * Loads the first variant of the bundle that this device can load. The caller closes the result.
   *
   * @throws HalException INVALID_ARGUMENT if the manifest or a variant's code is malformed, or a
   *     source does not compile; NOT_FOUND if the manifest, a file or a kernel is missing;
   *     DATA_LOSS if the bundle cannot be read; UNIMPLEMENTED if no variant can be loaded, with the
   *     reason for each variant; OUT_OF_RANGE if a kernel's workgroups are larger than the device
   *     or the kernel allows ({@link DeviceInfo#maxWorkgroupSize}, {@link
   *     DeviceInfo#maxWorkgroupItems}), or need more shared memory than there is ({@link
   *     DeviceInfo#maxSharedMemory}), or if its arguments take more bytes than the device passes
   *     ({@link DeviceInfo#maxArgumentBytes}); RESOURCE_EXHAUSTED if this process or a compiler
   *     lacks memory or other resources; FAILED_PRECONDITION if the device is closed; UNAVAILABLE
   *     if it is lost
   */
  Executable loadExecutable(ExecutableSource source);

  /**
   * Loads a bundle as {@link #loadExecutable} does, on a thread of the device, and returns at once:
   * a compiler may take seconds. Some loads run at the same time, and hold up no other work of the
   * device; further ones wait for their turn, in the order of the calls.
   *
   * <p>The future fails with what {@code loadExecutable} throws. It belongs to the caller, who may
   * cancel or complete it: a load that has not begun then does not take place, and what a later one
   * has loaded is closed. Otherwise the caller closes the result. Functions that depend on the
   * future may run on that thread of the device, where all calls that wait are rejected.
   *
   * <p>Closing the device waits for a load that runs, at most its close timeout; those that have
   * not begun fail.
   *
   * @throws HalException FAILED_PRECONDITION if the device is closed; UNAVAILABLE if it is lost;
   *     RESOURCE_EXHAUSTED if no thread can be started
   */
  CompletableFuture<Executable> loadExecutableAsync(ExecutableSource source);

  /**
   * Opens a file for {@link DeviceQueue#read} and {@link DeviceQueue#write}, at this call and on
   * the calling thread.
   *
   * @param options those of {@link FileChannel#open(Path, OpenOption...)}, except for {@link
   *     java.nio.file.StandardOpenOption#APPEND}; if there are none, the file is opened for reading
   * @throws HalException NOT_FOUND if there is no such file or folder; PERMISSION_DENIED if the
   *     operating system denies access; FAILED_PRECONDITION if {@code path} is a folder, if the
   *     file exists but must not, or if the device is closed; INVALID_ARGUMENT for APPEND, which
   *     contradicts positions, and for options that contradict each other; UNIMPLEMENTED if the
   *     file system does not support the options; RESOURCE_EXHAUSTED if it is full; ABORTED for any
   *     other {@link java.io.IOException}, which is the cause; UNAVAILABLE if the device is lost
   */
  DeviceFile openFile(Path path, OpenOption... options);

  /**
   * Creates a file from a channel that the program has opened. The program keeps the channel:
   * closing the result does not close it. The channel's position is neither used nor changed.
   *
   * <p>If the channel is closed while operations use the file, they fail with FAILED_PRECONDITION.
   * This also happens if a thread of the program is interrupted while it uses the channel; see
   * {@link java.nio.channels.InterruptibleChannel}. JHAL's own threads are not interrupted while
   * they use it.
   *
   * @param channel used by a thread of the device, which must not wait for a timeline. It must not
   *     be in append mode: the bytes would be written at the end of the file, whatever position an
   *     operation names, and this is not detected.
   * @throws HalException FAILED_PRECONDITION if the channel or the device is closed; UNAVAILABLE if
   *     the device is lost
   */
  DeviceFile wrapFile(FileChannel channel);

  /**
   * Returns whether operations of this device's queues can use the memory of {@code other}
   * directly. In that case, a copy between the two devices is one native copy if it is enqueued on
   * this device, and {@link Allocator#importPeer} makes {@code other}'s buffers usable here.
   * Otherwise, copies go through the host (rule S9b).
   *
   * <p>The result is true for the device itself, and may differ for the opposite direction. It
   * stays the same while both devices are open, and is false once one of them is closed.
   */
  boolean canAccess(Device other);

  /**
   * Returns the driver's view of the device in terms of its own runtime, for programs that use that
   * runtime alongside JHAL. The documentation of a driver lists the types that it offers.
   *
   * @throws HalException INVALID_ARGUMENT if the driver does not offer {@code type}, with a list of
   *     the types that it offers; FAILED_PRECONDITION if the device is closed
   */
  <T> T unwrap(Class<T> type);

  /** Returns what the device currently holds, and what it has done so far. */
  DeviceStatistics statistics();

  /**
   * Returns why the device is lost, or null if it is not. The failure names no {@linkplain
   * HalException#operation operation}; if the loss was detected after an operation, the message
   * names that one.
   */
  @Nullable HalException lostCause();

  /** Returns whether {@link #close()} has begun. */
  boolean isClosed();

  /**
   * Closes the device (rule Q8):
   *
   * <ul>
   *   <li>New work is rejected.
   *   <li>Work that was not issued yet fails with CANCELLED.
   *   <li>Work that was issued runs, even if it still waits on the device for other issued work.
   *       The close waits for it, up to the setting {@code close-timeout}. Then all native
   *       resources are freed.
   *   <li>At that deadline, the remaining signals fail with DEADLINE_EXCEEDED. This is logged, and
   *       native resources that are still in use stay allocated until the work ends, if it ever
   *       does.
   * </ul>
   *
   * <p>Closing twice is harmless; a second call returns when the device is closed. Buffers, command
   * buffers, executables and semaphores may be closed later.
   *
   * @throws HalException FAILED_PRECONDITION if called from a callback, a host call or any other
   *     thread of a device
   */
  @Override
  void close();

  /**
   * Sets how long the shutdown hook lets the program close this device when the JVM exits, before
   * it closes the device itself. It is zero at first. The JVM runs all shutdown hooks at the same
   * time, so a program that closes the device in a hook of its own, after other work, needs more.
   *
   * <p>While the device is open, it delays the exit of the JVM for up to this time. A call during
   * the exit may come too late.
   *
   * @throws HalException OUT_OF_RANGE if {@code patience} is negative or longer than a day
   */
  void setExitPatience(Duration patience);

  /** How long {@link #close()} waits by default. */
  Duration DEFAULT_CLOSE_TIMEOUT = Duration.ofSeconds(10);
}
