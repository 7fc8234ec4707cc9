package org.jhal;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A queue of a device, to which a program submits work. Every operation names what it waits for and
 * what it signals; nothing else orders work, not even the queue.
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
 *       arguments: lists, tables and objects may be changed or closed right after it (Q2). Host
 *       memory of {@link #upload} and {@link #readback} is the exception: it is borrowed until
 *       nothing reads or writes it any more. It is free again when the signals are reached; if they
 *       fail, {@link HostMemory} tells when.
 *   <li>Its waits may lie in the future, on any device. If one fails, the signals fail with the
 *       same failure and nothing else is affected (Q6).
 *   <li>Its signals are raised to at least their value, in list order, after its effects are
 *       visible (S1a, Q9), or failed with what went wrong.
 *   <li>For a wrong argument the call throws and does nothing: INVALID_ARGUMENT (also for an object
 *       of another device), OUT_OF_RANGE (also for a signal value that is already reached),
 *       PERMISSION_DENIED for a usage that a buffer was not made for, FAILED_PRECONDITION for a
 *       closed object or device, UNAVAILABLE for a lost device, UNIMPLEMENTED for a kind of command
 *       that the device's driver does not know.
 * </ul>
 *
 * <p>Contract: rules Q1 to Q11, M1 to M6, M9.
 *
 * <p>A queue belongs to its device and need not be closed. Thread-safe.
 */
public interface DeviceQueue {
  /** The device that this queue belongs to. */
  Device device();

  /** The queue's index, in {@code [0, device().queueCount())}. */
  int index();

  /**
   * How many operations that the program enqueued on this queue have not retired: each still waits,
   * is under way, or holds resources. It is 0 once the last one has given back all that it held,
   * whether it succeeded or failed. Parts of operations do not count, as in {@link
   * DeviceStatistics#enqueued}. May be called at any time, also when the device is closed or lost.
   */
  long openOperations();

  /** Operations of this queue that return when they are over, for scripts. */
  default BlockingCalls blocking() {
    return new BlockingCalls(this);
  }

  /** Waits and signals, and does nothing else. */
  void barrier(Fence waits, Fence signals);

  /** Executes a command buffer that uses no slots. */
  default void execute(Fence waits, Fence signals, CommandBuffer commands) {
    execute(waits, signals, commands, BindingTable.EMPTY);
  }

  /**
   * Executes a command buffer, with {@code bindings} in its slots.
   *
   * @throws HalException besides the usual: FAILED_PRECONDITION if {@code commands} is not ended,
   *     or is one-shot and was executed before; INVALID_ARGUMENT if a slot that it uses is empty;
   *     OUT_OF_RANGE if the table is too short or a bound buffer smaller than the commands need.
   *     What a kernel accesses is not known, so a dispatch needs only the range that its {@link
   *     Slot} names: give the slot an offset and a length, and the buffer is checked
   */
  void execute(Fence waits, Fence signals, CommandBuffer commands, BindingTable bindings);

  /** Runs a kernel; see {@link CommandBuffer#dispatch}. Slots are not allowed. */
  void dispatch(Fence waits, Fence signals, Kernel kernel, Workgroups count, Args args);

  /** Fills a range; see {@link CommandBuffer#fill}. */
  void fill(
      Fence waits,
      Fence signals,
      DeviceBuffer target,
      long offset,
      long length,
      FillPattern pattern);

  /**
   * Writes the remaining bytes of {@code source}, which are copied at this call, to {@code target}
   * from {@code offset} on. Meant for small amounts.
   */
  void update(Fence waits, Fence signals, ByteBuffer source, DeviceBuffer target, long offset);

  /**
   * Writes all of {@code source} to {@code target} from {@code offset} on. The memory is borrowed
   * until it has been read (Q2), which is before this operation raises its signals. If they fail,
   * or somebody else may raise them, {@link HostMemory#onFree} and {@link HostMemory#awaitFree()}
   * tell.
   */
  void upload(Fence waits, Fence signals, HostMemory source, DeviceBuffer target, long offset);

  /**
   * Writes the remaining bytes of {@code source}, which are borrowed until they have been read
   * (Q2). If the signals fail, only a {@link HostMemory} can tell when that is: use the other
   * method where this matters.
   */
  default void upload(
      Fence waits, Fence signals, ByteBuffer source, DeviceBuffer target, long offset) {
    Objects.requireNonNull(source, "source");
    upload(waits, signals, HostMemory.of(source), target, offset);
  }

  /**
   * Reads {@code target.size()} bytes from {@code offset} on into {@code target}. The memory is
   * borrowed until it has been written (Q2), which is before this operation raises its signals. If
   * they fail, or somebody else may raise them, {@link HostMemory#onFree} and {@link
   * HostMemory#awaitFree()} tell.
   *
   * @throws HalException besides the usual: INVALID_ARGUMENT if {@code target} is read-only
   */
  void readback(Fence waits, Fence signals, DeviceBuffer source, long offset, HostMemory target);

  /**
   * Reads into the remaining bytes of {@code target}, whose position is not moved. If the signals
   * fail, only a {@link HostMemory} can tell when the bytes are free: use the other method where
   * this matters.
   */
  default void readback(
      Fence waits, Fence signals, DeviceBuffer source, long offset, ByteBuffer target) {
    Objects.requireNonNull(target, "target");
    readback(waits, signals, source, offset, HostMemory.of(target));
  }

  /**
   * Copies {@code length} bytes. If both ranges are in the same memory, they may not overlap. One
   * of the buffers, but not both, may belong to another device, even of another driver. Unless this
   * device {@linkplain Device#canAccess can access} that one, the bytes then go through the host.
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
   * Reads {@code length} bytes of a file into a buffer (M9). The file is first touched when the
   * waits are reached, so it may be written by what they wait for. The bytes go through memory of
   * the host in parts, so a file may be larger than that. The parts may be read in any order and at
   * the same time.
   *
   * <p>The signals fail with
   *
   * <ul>
   *   <li>OUT_OF_RANGE if the file ends before {@code fileOffset + length};
   *   <li>PERMISSION_DENIED if the channel of a wrapped file is not readable;
   *   <li>FAILED_PRECONDITION if it was closed;
   *   <li>RESOURCE_EXHAUSTED if there is no memory of the host to go through;
   *   <li>ABORTED for any other {@link java.io.IOException}, which is the cause.
   * </ul>
   *
   * <p>If they fail, any part of the range of the buffer may have been written.
   *
   * @param fileOffset where to start in the file, in bytes; at least 0
   * @param offset where to start in the buffer, in bytes
   * @param length in bytes, at least 0. If it is 0, the file is not touched.
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
   * Writes {@code length} bytes of a buffer to a file (M9), which grows if they end behind its end.
   * The buffer and the file are first touched when the waits are reached. The bytes go through
   * memory of the host in parts, which may be written in any order and at the same time.
   *
   * <p>When the signals are raised, the bytes are in the file for everybody who reads it. They may
   * not be on the storage device yet.
   *
   * <p>The signals fail with
   *
   * <ul>
   *   <li>RESOURCE_EXHAUSTED if the file system or a quota is full, or if there is no memory of the
   *       host to go through;
   *   <li>PERMISSION_DENIED if the channel of a wrapped file is not writable;
   *   <li>FAILED_PRECONDITION if it was closed;
   *   <li>ABORTED for any other {@link java.io.IOException}, which is the cause.
   * </ul>
   *
   * <p>If they fail, any part of the range of the file may have been written, and the file may have
   * grown.
   *
   * @param fileOffset where to start in the file, in bytes; at least 0
   * @param offset where to start in the buffer, in bytes
   * @param length in bytes, at least 0. If it is 0, the file is not touched.
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
   * Allocates in the order of the timeline (M1): the buffer is returned at once and may be named in
   * commands at once, but its memory exists from the signal on. If there is not enough memory, or
   * {@code bytes} exceeds {@link DeviceInfo#maxAllocationBytes}, the signals fail with
   * RESOURCE_EXHAUSTED.
   *
   * @param bytes the size, at least 0
   */
  DeviceBuffer alloca(Fence waits, Fence signals, long bytes, BufferParams params);

  /**
   * Frees the memory of a buffer from {@link #alloca} in the order of the timeline (M1). If a wait
   * has failed by the time the operation is issued, nothing is freed.
   *
   * @throws HalException besides the usual: INVALID_ARGUMENT if the buffer is not from an alloca,
   *     or is a slice
   */
  void dealloca(Fence waits, Fence signals, DeviceBuffer buffer);

  /** Calls a function on a host thread once the waits are met; see {@link HostCall}. */
  void hostCall(Fence waits, Fence signals, HostCall.Mode mode, HostCall call);

  /**
   * Has {@code work} hand work to the device's own runtime, in the order of the timeline (Q11).
   *
   * @param buffers what the work accesses; they are kept until the operation retires, and may be
   *     closed right after this call. No usage is asked for.
   * @throws HalException besides the usual: UNIMPLEMENTED if the device's driver runs no external
   *     work
   */
  void external(Fence waits, Fence signals, List<DeviceBuffer> buffers, ExternalWork work);

  /**
   * Signals when a native event has fired, if the device offers {@link Capability#NATIVE_ACCESS}
   * (Q11). The queue's stream waits for it, so later work of this queue may be held back too; no
   * thread of the host does.
   *
   * @param event the handle of an event that was recorded on a stream of this device or of another
   *     one of its driver, such as a {@code CUevent}. JHAL cannot check it: a wrong one may end the
   *     JVM. It must have been recorded before this call, and may be neither recorded again nor
   *     destroyed before {@code onRelease} is called.
   * @param onRelease called once, on any thread, when JHAL does not use the event any more, unless
   *     this call throws; null for nothing. The signals do not tell: somebody else may have raised
   *     or failed them before. It may not block or close a device; what it throws is logged and
   *     dropped.
   * @throws HalException besides the usual: INVALID_ARGUMENT if {@code event} is 0; UNIMPLEMENTED
   *     without the capability
   */
  void importEvent(Fence signals, long event, @Nullable Runnable onRelease);
}
