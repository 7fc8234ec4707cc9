// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver;

import org.jhal.CollectiveGroup;
import org.jhal.ElementType;
import org.jhal.HalException;
import org.jhal.Reduction;
import org.jspecify.annotations.Nullable;

/**
 * What carries out collectives between devices of one driver, such as a library of the devices'
 * vendor, so that the data does not go through the host. A driver implements it; {@link
 * DeviceBackend#createGroup} makes it.
 *
 * <p>All groups of a driver that share a device run their collectives on it in one order, that of
 * {@link #issue}. When a rank's part of one is over in its device's stream, nothing uses the rank's
 * memory for it any more, also on other devices.
 *
 * <p>Failures are {@link HalException}s.
 *
 * @param <E> the driver's native event
 */
public interface NativeGroup<E> {
  /** The library and its version, for people, such as {@code NCCL 2.28.3}. */
  String description();

  /**
   * Why this does not carry out such a collective, or null if it does.
   *
   * @param reduction null for the kinds that move bytes
   * @param type null for the kinds that move bytes
   */
  @Nullable String obstacle(
      CollectiveGroup.Kind kind, @Nullable Reduction reduction, @Nullable ElementType type);

  /** How much a collective counts against the {@link NativeStream#capacity()} of its stream. */
  int weight();

  /**
   * Puts a collective into streams of its own of all devices, without waiting for it, and makes
   * {@code stream} wait for all of them. Called by one thread at a time for each stream, with the
   * first device bound.
   *
   * @param stream of the first device; nothing else is put into it meanwhile
   * @param isBehind whether nothing may begin on any device before all is over that is in {@code
   *     stream} now: the streams of all devices are then made to wait for one event behind that
   * @param patience how long it may wait until other groups are out of the way, in nanoseconds
   * @param begins is called once the order among all groups of the driver is fixed, before anything
   *     is put into a stream; short; what it throws is thrown
   * @return the failure of a collective of which some part may have been put into a stream; then
   *     {@code stream} may not wait for all of them, and {@link #abort} follows, without which the
   *     streams may never go on
   * @throws HalException if nothing was put into any stream; UNAVAILABLE if the first device is
   *     lost, and something may have been put into the others' streams
   */
  @Nullable HalException issue(
      CollectiveCall call,
      NativeStream<E> stream,
      boolean isBehind,
      long patience,
      Runnable begins);

  /**
   * A failure that the library has detected by itself, such as of a link between devices, or null.
   * Short. Called by any thread while a collective is not over. A failure that it returns ends the
   * group.
   */
  default @Nullable HalException failure() {
    return null;
  }

  /**
   * Ends everything that runs, and lets nothing begin any more, on all ranks. Blocks, perhaps for
   * ever. What runs may end as if it had succeeded. Called once, by a thread of its own; may come
   * beside {@link #issue}, which fails from then on. Called without a device bound, as is {@link
   * #close}.
   *
   * @param patience how long it may hold up other groups, in nanoseconds
   * @throws HalException if a rank cannot be aborted
   */
  void abort(long patience);

  /**
   * Whether the stream of a rank is past everything that {@link #issue} has put into it: by an
   * event of the rank's own, because {@link #abort} has ended it, or because the runtime says that
   * the device is lost. False while that is unknown. For a group that is {@linkplain #abort
   * aborted}, or about to be, and which is not closed: as from an abort, {@link #issue} puts
   * nothing into any stream from the first call on. Called without a device bound, by one thread at
   * a time; may block for as long as an abort does. Throws nothing.
   */
  boolean isPast(int rank);

  /**
   * Frees everything, or keeps what another group of the same devices can use; if {@link #abort}
   * has not returned, that frees it then. May block. Called once, when nothing runs any more; the
   * devices may be closed before. Throws nothing.
   */
  void close();
}
