// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.nio.ByteBuffer;

/**
 * Work that the program submits to the device's own runtime, such as calls of a vendor's library;
 * see {@link DeviceQueue#external}.
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
 * <p>The work is called once, on a thread of the queue, with the device current. The queue issues
 * nothing else meanwhile, so the work should return soon; other queues go on. When it is called
 * depends on {@link Capability#NATIVE_ACCESS}:
 *
 * <ul>
 *   <li>With the capability, when the operation is issued. This may be before its waits are
 *       reached: the work that they wait for is then in a stream of the device, and the lent stream
 *       waits for it. The external work enqueues on the lent stream. Everything that it enqueues
 *       there belongs to the operation, whose signals are raised when that has run.
 *   <li>Without it, as on the mock, when everything that the operation waits for has ended. The
 *       external work then reads and writes {@linkplain Context#bytes the bytes} of the buffers
 *       itself. With {@link Capability#HOST_ADDRESSES} it may also use their {@linkplain
 *       Context#address addresses}, in this process and until it returns.
 * </ul>
 *
 * <p>Rules for the work:
 *
 * <ul>
 *   <li>Work on other streams must be forked from the lent stream, and joined to it before the call
 *       returns, by native events.
 *   <li>It may synchronize with the stream, but this is slow.
 *   <li>It may signal, fail and enqueue. Host waits and closing a device are rejected with
 *       FAILED_PRECONDITION.
 *   <li>It may wait for other threads of the program, and these may make any call on the device,
 *       such as to allocate or free memory. No thread that it waits for may wait for a collective
 *       or for other external work: a native collective of the driver is launched only when no
 *       external work runs, and the next external work may be queued after that collective.
 *   <li>It MUST NOT keep the stream or an address after it has returned, capture on the stream, or
 *       destroy it.
 *   <li>It may make another device current, or none: JHAL makes its own device current again.
 * </ul>
 */
@FunctionalInterface
public interface ExternalWork {
  /**
   * Does the work.
   *
   * @throws Exception to fail the operation's signals: with a {@link HalException} as it is, with
   *     any other exception as the cause of an ABORTED failure. Work that was enqueued before still
   *     runs, and everything that the operation uses is kept until that work has ended.
   */
  void issue(Context context) throws Exception;

  /**
   * The objects that are lent to external work. Valid on the calling thread until {@link
   * ExternalWork#issue} returns. Later, or on another thread, all methods except {@link #queue()}
   * throw FAILED_PRECONDITION.
   */
  interface Context {
    /** Returns the queue that the work was enqueued on. */
    DeviceQueue queue();

    /**
     * Returns the handle of the native stream, such as a {@code CUstream} or a {@code hipStream_t}.
     *
     * @throws HalException UNIMPLEMENTED without {@link Capability#NATIVE_ACCESS}
     */
    long stream();

    /**
     * Returns the device's address of a buffer's first byte. Only the bytes of the buffer may be
     * accessed through it, and only by work on the lent stream, or by the external work itself on a
     * device with {@link Capability#HOST_ADDRESSES}.
     *
     * @param buffer one of those that were passed to {@link DeviceQueue#external}
     * @throws HalException INVALID_ARGUMENT if it is not; UNIMPLEMENTED if the device has neither
     *     {@link Capability#NATIVE_ACCESS} nor {@link Capability#HOST_ADDRESSES}
     */
    long address(DeviceBuffer buffer);

    /**
     * Returns the bytes of a buffer, in native byte order, for drivers that run external work on
     * the host.
     *
     * @param buffer one of those that were passed to {@link DeviceQueue#external}
     * @throws HalException INVALID_ARGUMENT if it is not; OUT_OF_RANGE if it has more than {@link
     *     Integer#MAX_VALUE} bytes: pass a slice of it instead; UNIMPLEMENTED with {@link
     *     Capability#NATIVE_ACCESS}
     */
    ByteBuffer bytes(DeviceBuffer buffer);
  }
}
