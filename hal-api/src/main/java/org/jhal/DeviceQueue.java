// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A queue of a device, to which a program submits work. Every operation names what it waits for and
 * what it signals. Nothing else orders work, not even the queue.
 *
 * <pre>{@code
 * DeviceBuffer scratch = queue.alloca(Fence.NONE, timeline.at(1), bytes, BufferParams.DEVICE);
 * queue.execute(timeline.at(1), timeline.at(2), commands);
 * queue.dealloca(timeline.at(2), timeline.at(3), scratch);
 * }</pre>
 *
 * <p>For each operation:
 *
 * <ul>
 *   <li>The call never blocks, neither on its waits nor on a full device (Q1). It captures its
 *       arguments: lists, tables and objects may be changed or closed right after it (Q2). The
 *       exception is the host memory of {@link #upload} and {@link #readback}, which is borrowed
 *       until nothing reads or writes it any more. If the operation succeeds, that is before its
 *       signals are raised; otherwise, {@link HostMemory} reports it.
 *   <li>Its waits may be reached after the call, and on any device. If one fails, the signals fail
 *       with the same failure, and nothing else is affected (Q6).
 *   <li>If it succeeds, its signals are raised to at least their value, in list order, after its
 *       effects are visible (S1a, Q9). Otherwise, they fail with its failure.
 *   <li>For a wrong argument, the call throws and does nothing: INVALID_ARGUMENT (also for an
 *       object of another device), OUT_OF_RANGE (also for a signal value that is already reached),
 *       PERMISSION_DENIED for a usage that a buffer was not created for, FAILED_PRECONDITION for a
 *       closed object or device, UNAVAILABLE for a lost device, UNIMPLEMENTED for a kind of command
 *       that the device's driver does not know.
 * </ul>
 *
 * <p>Contract: rules Q1 to Q12, M1 to M6, M9.
 *
 * <p>A queue belongs to its device and need not be closed, except for an {@link AcquiredQueue}.
 * Thread-safe.
 */
public interface DeviceQueue {
  /** Returns the device that this queue belongs to. */
  Device device();

  /**
   * Returns the queue's index, in {@code [0, device().queueCount())}. That of an {@link
   * AcquiredQueue} is above these; another one may have it later.
   */
  int index();

  /**
   * Returns the number of operations that the program has enqueued on this queue and that have not
   * retired. Each of them still waits, is in progress, or holds resources. The number is 0 once the
   * last operation has released everything that it held, whether it succeeded or failed. Parts of
   * operations do not count, as in {@link DeviceStatistics#enqueued}. May be called at any time,
   * even if the device is closed or lost.
   */
  long openOperations();

  /** Returns blocking versions of this queue's operations, for scripts. */
  default BlockingCalls blocking() {
    return new BlockingCalls(this);
  }

  /**
   * Runs steps whose timeline and buffers end by themselves, and returns their result.
   *
   * <pre>{@code
   * CompletableFuture<float[]> sums =
   *     queue.compute(
   *         steps -> {
   *           DeviceBuffer x = steps.uploading(HostMemory.of(numbers));
   *           DeviceBuffer y = steps.allocate(ElementType.F32, groups);
   *           steps.dispatch(kernel, Workgroups.of(groups), Args.of(numbers.length, x, y));
   *           float[] result = new float[groups];
   *           steps.readback(y, HostMemory.of(result));
   *           return result;
   *         });
   * }</pre>
   *
   * @param work adds the steps, on this thread, and returns the object that the future completes
   *     with. If it throws, the steps that it has added are cancelled unless they were issued.
   * @return the future that {@link Sequence#finish(Object)} returns
   * @throws RuntimeException what {@code work} throws
   * @throws HalException FAILED_PRECONDITION if the device is closed
   */
  default <T extends @Nullable Object> CompletableFuture<T> compute(Function<QueueSteps, T> work) {
    return Sequence.run(this, null, work);
  }

  /**
   * As {@link #compute(Function)}, but the future waits for at most {@code timeout}; see {@link
   * Sequence#finish(Object, Duration)}.
   */
  default <T extends @Nullable Object> CompletableFuture<T> compute(
      Duration timeout, Function<QueueSteps, T> work) {
    Objects.requireNonNull(timeout, "timeout");
    return Sequence.run(this, timeout, work);
  }

  /** Enqueues an operation that only waits and signals. */
  void barrier(Fence waits, Fence signals);

  /** Executes a command buffer that uses no slots. */
  default void execute(Fence waits, Fence signals, CommandBuffer commands) {
    execute(waits, signals, commands, BindingTable.EMPTY);
  }

  /**
   * Executes a command buffer, with {@code bindings} in its slots.
   *
   * @throws HalException besides the usual: FAILED_PRECONDITION if {@code commands} has not been
   *     ended, or is one-shot and was executed before; INVALID_ARGUMENT if a slot that it uses is
   *     empty; OUT_OF_RANGE if the table is too short or a bound buffer is smaller than the
   *     commands need. JHAL does not know what a kernel accesses, so for a dispatch it checks only
   *     the range that the {@link Slot} names: give the slot an offset and a length to have the
   *     size of the buffer checked.
   */
  void execute(Fence waits, Fence signals, CommandBuffer commands, BindingTable bindings);

  /**
   * Runs a kernel; see {@link CommandBuffer#dispatch(Kernel, Workgroups, Args)}. Slots are rejected
   * with INVALID_ARGUMENT.
   */
  void dispatch(Fence waits, Fence signals, Kernel kernel, Workgroups count, Args args);

  /**
   * Runs a kernel over a grid that the device reads when the dispatch begins; see {@link
   * CommandBuffer#dispatch(Kernel, IndirectWorkgroups, Args)}. Slots are rejected with
   * INVALID_ARGUMENT.
   */
  void dispatch(Fence waits, Fence signals, Kernel kernel, IndirectWorkgroups count, Args args);

  /** Fills a range; see {@link CommandBuffer#fill}. */
  void fill(
      Fence waits,
      Fence signals,
      DeviceBuffer target,
      long offset,
      long length,
      FillPattern pattern);

  /**
   * Writes the remaining bytes of {@code source} to {@code target} from {@code offset} on. The
   * bytes are copied at this call, so this is meant for small amounts; the position of {@code
   * source} does not move.
   */
  void update(Fence waits, Fence signals, ByteBuffer source, DeviceBuffer target, long offset);

  /**
   * Writes all of {@code source} to {@code target} from {@code offset} on. The memory is borrowed
   * until it has been read (Q2), which is before this operation raises its signals. If they fail,
   * or if another signal may raise the timeline first, {@link HostMemory#onFree} or {@link
   * HostMemory#awaitFree()} shows when it is free.
   */
  void upload(Fence waits, Fence signals, HostMemory source, DeviceBuffer target, long offset);

  /**
   * Writes the remaining bytes of {@code source}, which are borrowed until they have been read
   * (Q2). The position of {@code source} does not move. If the signals fail, only a {@link
   * HostMemory} can show when the bytes are free: use the other method where this matters.
   */
  default void upload(
      Fence waits, Fence signals, ByteBuffer source, DeviceBuffer target, long offset) {
    Objects.requireNonNull(source, "source");
    upload(waits, signals, HostMemory.of(source), target, offset);
  }

  /**
   * Allocates device memory of the size of {@code source} at once, and uploads {@code source} to
   * it. The caller closes the buffer.
   *
   * @throws HalException as {@link Device#allocate(long, BufferParams)} and {@link #upload(Fence,
   *     Fence, HostMemory, DeviceBuffer, long)}; nothing stays allocated
   */
  default DeviceBuffer uploading(Fence waits, Fence signals, HostMemory source) {
    Objects.requireNonNull(source, "source");
    DeviceBuffer target = device().allocate(source.size(), BufferParams.DEVICE);
    try {
      upload(waits, signals, source, target, 0);
    } catch (Throwable t) {
      target.close();
      throw t;
    }
    return target;
  }

  /**
   * Reads {@code target.size()} bytes from {@code offset} on into {@code target}. The memory is
   * borrowed until it has been written (Q2), which is before this operation raises its signals. If
   * they fail, or if another signal may raise the timeline first, {@link HostMemory#onFree} or
   * {@link HostMemory#awaitFree()} shows when it is free.
   *
   * @throws HalException besides the usual: INVALID_ARGUMENT if {@code target} is read-only
   */
  void readback(Fence waits, Fence signals, DeviceBuffer source, long offset, HostMemory target);

  /**
   * Reads into the remaining bytes of {@code target}, whose position does not move. If the signals
   * fail, only a {@link HostMemory} can show when the bytes are free: use the other method where
   * this matters.
   */
  default void readback(
      Fence waits, Fence signals, DeviceBuffer source, long offset, ByteBuffer target) {
    Objects.requireNonNull(target, "target");
    readback(waits, signals, source, offset, HostMemory.of(target));
  }

  /**
   * Copies {@code length} bytes. If both ranges are in the same memory, they must not overlap. One
   * of the buffers, but not both, may belong to another device, even of another driver. Unless this
   * device {@linkplain Device#canAccess can access} the other one, the bytes then go through the
   * host.
   */
  void copy(
      Fence waits,
      Fence signals,
      DeviceBuffer source,
      long sourceOffset,
      DeviceBuffer target,
      long targetOffset,
      long length);

  /**
   * Reads {@code length} bytes of a file into a buffer (M9). The file is first accessed when the
   * waits are reached, so work that they wait for may write it. The bytes go through host memory in
   * parts, so a file may be larger than that memory. The parts may be read in any order and
   * concurrently.
   *
   * <p>The signals fail with
   *
   * <ul>
   *   <li>OUT_OF_RANGE if the file ends before {@code fileOffset + length};
   *   <li>PERMISSION_DENIED if the channel of a wrapped file is not readable;
   *   <li>FAILED_PRECONDITION if that channel is closed;
   *   <li>RESOURCE_EXHAUSTED if there is no host memory for the transfer;
   *   <li>ABORTED for any other {@link java.io.IOException}, which is the cause.
   * </ul>
   *
   * <p>If they fail, any part of the range of the buffer may have been written.
   *
   * @param fileOffset where to start in the file, in bytes; at least 0
   * @param offset where to start in the buffer, in bytes
   * @param length in bytes, at least 0. If it is 0, the file is not accessed.
   * @throws HalException besides the usual: FAILED_PRECONDITION if the file is closed;
   *     PERMISSION_DENIED if it was opened without {@link java.nio.file.StandardOpenOption#READ}
   */
  void read(
      Fence waits,
      Fence signals,
      DeviceFile file,
      long fileOffset,
      DeviceBuffer buffer,
      long offset,
      long length);

  /**
   * Writes {@code length} bytes of a buffer to a file (M9), which grows if they extend beyond its
   * end. The buffer and the file are first accessed when the waits are reached. The bytes go
   * through host memory in parts, which may be written in any order and concurrently.
   *
   * <p>When the signals are raised, every reader of the file sees the bytes. They may not be on the
   * storage device yet.
   *
   * <p>The signals fail with
   *
   * <ul>
   *   <li>RESOURCE_EXHAUSTED if the file system or a quota is full, or if there is no host memory
   *       for the transfer;
   *   <li>PERMISSION_DENIED if the channel of a wrapped file is not writable;
   *   <li>FAILED_PRECONDITION if that channel is closed;
   *   <li>ABORTED for any other {@link java.io.IOException}, which is the cause.
   * </ul>
   *
   * <p>If they fail, any part of the range of the file may have been written, and the file may have
   * grown.
   *
   * @param fileOffset where to start in the file, in bytes; at least 0
   * @param offset where to start in the buffer, in bytes
   * @param length in bytes, at least 0. If it is 0, the file is not accessed.
   * @throws HalException besides the usual: FAILED_PRECONDITION if the file is closed;
   *     PERMISSION_DENIED if it was opened without {@link java.nio.file.StandardOpenOption#WRITE}
   */
  void write(
      Fence waits,
      Fence signals,
      DeviceFile file,
      long fileOffset,
      DeviceBuffer buffer,
      long offset,
      long length);

  /**
   * Allocates in the order of the timeline (M1). The buffer is returned immediately, and commands
   * may name it immediately, but its memory exists from the signal on. If there is not enough
   * memory, or {@code bytes} exceeds {@link DeviceInfo#maxAllocationBytes}, the signals fail with
   * RESOURCE_EXHAUSTED.
   *
   * @param bytes the size in bytes, at least 0
   * @throws HalException besides the usual: OUT_OF_RANGE if {@code bytes} is negative;
   *     UNIMPLEMENTED if the device does not support {@code params}
   */
  DeviceBuffer alloca(Fence waits, Fence signals, long bytes, BufferParams params);

  /**
   * Allocates as {@link #alloca(Fence, Fence, long, BufferParams)}, within the budget of a pool
   * (M1a). If too little of it is left when the allocation is to be issued, the signals fail with
   * RESOURCE_EXHAUSTED, or, if the pool was made so, the allocation waits for others to be freed.
   * Nothing else waits for it, except what waits for its signals. An allocation of such a pool is
   * issued when the host has seen its waits reached.
   *
   * @param pool of this device
   * @throws HalException as without a pool; also INVALID_ARGUMENT if the pool is another device's,
   *     and FAILED_PRECONDITION if it is closed
   */
  DeviceBuffer alloca(Fence waits, Fence signals, long bytes, BufferParams params, MemoryPool pool);

  /**
   * Frees the memory of a buffer from {@link #alloca} in the order of the timeline (M1). If a wait
   * has failed before the operation is issued, nothing is freed.
   *
   * @throws HalException besides the usual: INVALID_ARGUMENT if the buffer is not from an alloca,
   *     or is a slice
   */
  void dealloca(Fence waits, Fence signals, DeviceBuffer buffer);

  /** Calls a function on a host thread when the waits are reached; see {@link HostCall}. */
  void hostCall(Fence waits, Fence signals, HostCall.Mode mode, HostCall call);

  /**
   * Has {@code work} submit work to the device's own runtime, in the order of the timeline (Q11).
   *
   * @param buffers the buffers that the work accesses, of any usage. They are kept until the
   *     operation retires, and may be closed right after this call.
   * @throws HalException besides the usual: UNIMPLEMENTED if the device's driver runs no external
   *     work
   */
  void external(Fence waits, Fence signals, List<DeviceBuffer> buffers, ExternalWork work);

  /**
   * Signals when a native event has fired, if the device offers {@link Capability#NATIVE_ACCESS}
   * (Q11). The queue's stream waits for the event, so later work of this queue may be delayed too;
   * no host thread is.
   *
   * @param event the handle of an event that was recorded on a stream of this device, or of another
   *     device of its driver, such as a {@code CUevent}. JHAL cannot check it: a wrong handle may
   *     end the JVM. The event must have been recorded before this call. It must be neither
   *     recorded again nor destroyed before {@code onRelease} is called.
   * @param onRelease called once, on any thread, when JHAL does not use the event any more, unless
   *     this call throws; null for no callback. The signals do not show this, because they may have
   *     been raised or failed elsewhere before. The callback must not block or close a device; an
   *     exception that it throws is logged and dropped.
   * @throws HalException besides the usual: INVALID_ARGUMENT if {@code event} is 0; UNIMPLEMENTED
   *     without the capability
   */
  void importEvent(Fence signals, long event, @Nullable Runnable onRelease);
}
