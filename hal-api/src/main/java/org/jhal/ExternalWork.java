package org.jhal;

import java.nio.ByteBuffer;

/**
 * Work that the program hands to the device's own runtime, such as calls of a vendor's library:
 * what {@link DeviceQueue#external} takes.
 *
 * <pre>{@code
 * queue.external(
 *     uploaded, multiplied, List.of(a, b, c),
 *     context -> {
 *       check(cublasSetStream(blas, context.stream()));
 *       check(cublasSgemm(blas, ..., context.address(a), ..., context.address(b), ...));
 *     });
 * }</pre>
 *
 * <p>It runs once, on a thread of the queue, with the device current. The queue issues nothing else
 * meanwhile, so the work should return soon; other queues go on. Where it runs depends on {@link
 * Capability#NATIVE_ACCESS}:
 *
 * <ul>
 *   <li>With it, the work runs when the operation is issued, which may be before its waits are
 *       reached: what they wait for is then in a stream of the device, and the lent stream waits
 *       for it. The work enqueues on that stream. Everything that it enqueues there belongs to the
 *       operation, whose signals are raised when that has run.
 *   <li>Without it, as on the mock, the work runs when everything that the operation waits for is
 *       over, and reads and writes {@linkplain Context#bytes the bytes} of the buffers itself.
 * </ul>
 *
 * <p>Rules for the work:
 *
 * <ul>
 *   <li>Work on other streams is forked from the lent one, and joined to it, by native events
 *       before it returns.
 *   <li>Synchronizing with the stream is slow, not wrong.
 *   <li>It may signal, fail and enqueue. Host waits and closing a device are refused.
 *   <li>It may wait for other threads of the program, and these may make any call on the device,
 *       such as to allocate or free. Nobody that it waits for may wait for a collective, or for
 *       other external work: a native collective of the driver is launched when no external work
 *       runs, and the next external work may be behind that.
 *   <li>It MUST NOT keep the stream or an address beyond its return, capture on the stream, or
 *       destroy it.
 *   <li>It may make another device current, or none: JHAL makes its own current again.
 * </ul>
 */
@FunctionalInterface
public interface ExternalWork {
  /**
   * Does the work.
   *
   * @throws Exception fails the operation's signals: a {@link HalException} as it is, any other as
   *     the cause of an ABORTED one. What was enqueued before still runs; what the operation uses
   *     is kept until it is over.
   */
  void issue(Context context) throws Exception;

  /**
   * What is lent to external work. Valid on the calling thread until {@link ExternalWork#issue}
   * returns; later calls throw FAILED_PRECONDITION.
   */
  interface Context {
    /** The queue that the work was enqueued on. */
    DeviceQueue queue();

    /**
     * The handle of the native stream, such as a {@code CUstream} or a {@code hipStream_t}.
     *
     * @throws HalException UNIMPLEMENTED without {@link Capability#NATIVE_ACCESS}
     */
    long stream();

    /**
     * The device's address of a buffer's first byte. Only the bytes of the buffer may be accessed
     * through it, and only by work on the lent stream.
     *
     * @param buffer one of those that {@link DeviceQueue#external} was given
     * @throws HalException INVALID_ARGUMENT if it is not; UNIMPLEMENTED without {@link
     *     Capability#NATIVE_ACCESS}
     */
    long address(DeviceBuffer buffer);

    /**
     * The bytes of a buffer, in native byte order, for drivers that run external work on the host.
     *
     * @param buffer one of those that {@link DeviceQueue#external} was given
     * @throws HalException INVALID_ARGUMENT if it is not; OUT_OF_RANGE if it has more than {@link
     *     Integer#MAX_VALUE} bytes: list a slice of it instead; UNIMPLEMENTED with {@link
     *     Capability#NATIVE_ACCESS}
     */
    ByteBuffer bytes(DeviceBuffer buffer);
  }
}
