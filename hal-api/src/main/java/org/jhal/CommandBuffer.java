// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A recording of commands, which {@link DeviceQueue#execute} executes.
 *
 * <p>Life cycle:
 *
 * <ol>
 *   <li><em>recording</em>: commands may be added;
 *   <li><em>ended</em>, by {@link #end()}: it may be executed;
 *   <li><em>submitted</em>: a {@link Mode#ONE_SHOT} command buffer may not be executed again; a
 *       {@link Mode#REUSABLE} one may, even while it is in flight, on several queues, with
 *       different binding tables (rule M4).
 * </ol>
 *
 * <p>Commands without a {@link #barrier()} between them may overlap or run in another order (rule
 * M3). Every argument is checked when the command is recorded, except ranges of slots, which are
 * checked when the command buffer is executed (rule M5).
 *
 * <p>A kind of command that the device's driver does not know is rejected with UNIMPLEMENTED.
 *
 * <p>The command buffer keeps alive the buffers and executables that its commands name. After it
 * was closed, it releases them once it is no longer in flight.
 *
 * <p>Only one thread at a time may record. Any thread may execute an ended command buffer.
 */
public interface CommandBuffer extends AutoCloseable {
  /** How often a command buffer may be executed. */
  enum Mode {
    /** Once. */
    ONE_SHOT,
    /**
     * Any number of times, even several times concurrently. From the second time on, a driver may
     * run it in a faster form, such as a graph of the native runtime (rule K6).
     */
    REUSABLE
  }

  /** The state of a command buffer in its life cycle. */
  enum State {
    /** Commands may be added. */
    RECORDING,
    /** It may be executed. */
    ENDED,
    /** It has been executed at least once. */
    SUBMITTED,
    /** Its owner has closed it. */
    CLOSED
  }

  /** Returns the device that the command buffer was created for. */
  Device device();

  /** Returns how often the command buffer may be executed. */
  Mode mode();

  /** Returns the state of the command buffer in its life cycle. */
  State state();

  /**
   * Fills {@code length} bytes of {@code target} from {@code offset} on with a repeated pattern.
   *
   * @param offset in bytes, a multiple of the pattern's length
   * @param length in bytes, a multiple of the pattern's length; 0 does nothing
   * @throws HalException INVALID_ARGUMENT if offset or length is not a multiple of the pattern's
   *     length, or if a buffer belongs to another device; OUT_OF_RANGE if the range does not fit
   *     into the buffer; PERMISSION_DENIED if a buffer was not created for this usage;
   *     FAILED_PRECONDITION if this command buffer is not recording, or a buffer is closed
   */
  void fill(BufferRef target, long offset, long length, FillPattern pattern);

  /**
   * Writes the remaining bytes of {@code source} to {@code target} from {@code offset} on. The
   * bytes are copied at this call; the position of {@code source} does not move.
   *
   * @throws HalException as {@link #fill}
   */
  void update(ByteBuffer source, BufferRef target, long offset);

  /**
   * Copies {@code length} bytes. If both ranges are in one buffer, they must not overlap. Both
   * buffers belong to this device; {@link DeviceQueue#copy} copies between devices.
   *
   * @throws HalException as {@link #fill}; INVALID_ARGUMENT if the ranges overlap
   */
  void copy(BufferRef source, long sourceOffset, BufferRef target, long targetOffset, long length);

  /**
   * Runs a kernel.
   *
   * @param count the grid: the number of workgroups along each axis; if one is zero, nothing runs
   *     (rule M6)
   * @throws HalException INVALID_ARGUMENT if the arguments do not match the kernel's parameters in
   *     number or type, a buffer's offset is not a multiple of its element size, or the kernel or a
   *     buffer belongs to another device; OUT_OF_RANGE if the grid is larger than the device allows
   *     or a constant does not fit; PERMISSION_DENIED if a buffer was not created for this usage;
   *     FAILED_PRECONDITION if this command buffer is not recording, or the executable or a buffer
   *     is closed
   */
  void dispatch(Kernel kernel, Workgroups count, Args args);

  /**
   * Runs a kernel over a grid that the device reads when the dispatch begins, so that commands
   * before a barrier, and operations that this one waits for, can compute it (rule M6a). If a count
   * is zero, nothing runs. If one is larger than the device accepts, the dispatch runs nothing, and
   * the operation fails with OUT_OF_RANGE.
   *
   * @param count where the counts are; kept alive like the buffers of {@code args}
   * @throws HalException besides that of {@link #dispatch(Kernel, Workgroups, Args)}: OUT_OF_RANGE
   *     if the counts do not fit into their buffer; INVALID_ARGUMENT if their offset is not a
   *     multiple of 4; PERMISSION_DENIED if their buffer was not created with {@link
   *     BufferUsage#DISPATCH_READ}; UNIMPLEMENTED without {@link Capability#INDIRECT_DISPATCH}
   */
  void dispatch(Kernel kernel, IndirectWorkgroups count, Args args);

  /**
   * Orders all commands recorded before the barrier before all commands recorded after it.
   * Repeated, leading and trailing barriers are legal.
   *
   * @throws HalException FAILED_PRECONDITION if this command buffer is not recording
   */
  void barrier();

  /**
   * Labels the commands that are recorded from here on, up to the next call. The label stands
   * beside the times of commands where these are recorded (docs/tracing.md), and has no other
   * effect. A command buffer of another engine may ignore it.
   *
   * @param label for people; empty for none
   * @throws HalException FAILED_PRECONDITION if this command buffer is not recording
   */
  default void label(String label) {
    Objects.requireNonNull(label, "label");
  }

  /**
   * Ends the recording.
   *
   * @throws HalException FAILED_PRECONDITION if this command buffer is not recording
   */
  void end();

  /** Closes the command buffer. Work in flight goes on. Closing twice is harmless. */
  @Override
  void close();
}
