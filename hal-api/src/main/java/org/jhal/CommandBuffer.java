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
 *   <li><em>submitted</em>: a {@link Mode#ONE_SHOT} one may not be executed again; a {@link
 *       Mode#REUSABLE} one may, also while it is in flight, on several queues, with different
 *       binding tables (rule M4).
 * </ol>
 *
 * <p>Commands without a {@link #barrier()} between them may overlap or swap (rule M3). Every
 * argument is checked when the command is recorded, except ranges of slots, which are checked when
 * it is executed (rule M5).
 *
 * <p>A kind of command that the device's driver does not know is refused with UNIMPLEMENTED.
 *
 * <p>The buffers and executables that commands name are kept alive by the command buffer; closing
 * it gives them up once it is no longer in flight.
 *
 * <p>Recording is for one thread at a time; executing an ended one is thread-safe.
 */
public interface CommandBuffer extends AutoCloseable {
  /** How often it may be executed. */
  enum Mode {
    /** Once. */
    ONE_SHOT,
    /** Any number of times, also several times at once. */
    REUSABLE
  }

  /** Where it is in its life cycle. */
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
   * Fills {@code length} bytes from {@code offset} on.
   *
   * @param length a multiple of the pattern's length; 0 does nothing
   * @throws HalException INVALID_ARGUMENT if offset or length is not a multiple of the pattern's
   *     length, or a buffer is of another device; OUT_OF_RANGE; PERMISSION_DENIED;
   *     FAILED_PRECONDITION if it is not recording
   */
  void fill(BufferRef target, long offset, long length, FillPattern pattern);

  /**
   * Writes the remaining bytes of {@code source}, which are captured now.
   *
   * @throws HalException as {@link #fill}
   */
  void update(ByteBuffer source, BufferRef target, long offset);

  /**
   * Copies bytes. The two ranges may not overlap.
   *
   * @throws HalException as {@link #fill}; INVALID_ARGUMENT if the ranges overlap
   */
  void copy(BufferRef source, long sourceOffset, BufferRef target, long targetOffset, long length);

  /**
   * Runs a kernel.
   *
   * @throws HalException INVALID_ARGUMENT if the arguments do not fit the kernel's parameters, in
   *     number or type; OUT_OF_RANGE if the grid is larger than the device allows;
   *     PERMISSION_DENIED; FAILED_PRECONDITION if it is not recording or the executable is closed
   */
  void dispatch(Kernel kernel, Workgroups count, Args args);

  /**
   * Orders everything recorded before against everything after. Repeated, leading and trailing ones
   * are legal.
   */
  void barrier();

  /**
   * Ends the recording.
   *
   * @throws HalException FAILED_PRECONDITION if it is not recording
   */
  void end();

  /** Gives it up. Work in flight goes on. Twice is harmless. */
  @Override
  void close();
}
