package org.jhal;

import java.nio.ByteBuffer;

/**
 * A recording of commands, to be executed by {@link DeviceQueue#execute}.
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
 * <p>A kind of command that the device's driver does not know is refused with UNIMPLEMENTED.
 *
 * <p>The command buffer keeps the buffers and executables that its commands name alive. After it is
 * closed, it releases them once it is no longer in flight.
 *
 * <p>Only one thread at a time may record; executing an ended command buffer is thread-safe.
 */
public interface CommandBuffer extends AutoCloseable {
  /** How often a command buffer may be executed. */
  enum Mode {
    /** Once. */
    ONE_SHOT,
    /**
     * Any number of times, even several times at once. From the second time on, a driver may run it
     * in a faster form, such as a graph of the native runtime (rule K6).
     */
    REUSABLE
  }

  /** Where a command buffer is in its life cycle. */
  enum State {
    /** Commands may be added. */
    RECORDING,
    /** It may be executed. */
    ENDED,
    /** It has been executed at least once. */
    SUBMITTED,
    /** It was closed by its owner. */
    CLOSED
  }

  /** The device that it was made for. */
  Device device();

  /** How often it may be executed. */
  Mode mode();

  /** Where it is in its life cycle. */
  State state();

  /**
   * Fills {@code length} bytes of {@code target} from {@code offset} on with a repeated pattern.
   *
   * @param length a multiple of the pattern's length; 0 does nothing
   * @throws HalException INVALID_ARGUMENT if offset or length is not a multiple of the pattern's
   *     length, or a buffer belongs to another device; OUT_OF_RANGE if the range does not fit into
   *     the buffer; PERMISSION_DENIED if a buffer was not made for this usage; FAILED_PRECONDITION
   *     if this command buffer is not recording, or a buffer is closed
   */
  void fill(BufferRef target, long offset, long length, FillPattern pattern);

  /**
   * Writes the remaining bytes of {@code source}, which are copied at this call, to {@code target}
   * from {@code offset} on.
   *
   * @throws HalException as {@link #fill}
   */
  void update(ByteBuffer source, BufferRef target, long offset);

  /**
   * Copies {@code length} bytes. If both ranges are in one buffer, they may not overlap.
   *
   * @throws HalException as {@link #fill}; INVALID_ARGUMENT if the ranges overlap
   */
  void copy(BufferRef source, long sourceOffset, BufferRef target, long targetOffset, long length);

  /**
   * Runs a kernel.
   *
   * @param count the grid: how many workgroups along each axis; a zero runs nothing (rule M6)
   * @throws HalException INVALID_ARGUMENT if the arguments do not fit the kernel's parameters, in
   *     number or type; OUT_OF_RANGE if the grid is larger than the device allows or a constant
   *     does not fit; PERMISSION_DENIED if a buffer was not made for this usage;
   *     FAILED_PRECONDITION if this command buffer is not recording, or the executable or a buffer
   *     is closed
   */
  void dispatch(Kernel kernel, Workgroups count, Args args);

  /**
   * Orders all commands recorded before it before all commands recorded after it. Repeated, leading
   * and trailing barriers are legal.
   *
   * @throws HalException FAILED_PRECONDITION if this command buffer is not recording
   */
  void barrier();

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
