// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jhal.spi.DurationText;
import org.jspecify.annotations.Nullable;

/**
 * Devices that exchange data together. Each is a <em>rank</em>, numbered from 0 in the order in
 * which they were passed. The devices may belong to any drivers.
 *
 * <pre>{@code
 * try (CollectiveGroup group = CollectiveGroup.of(first, second)) {
 *   group.allReduce(
 *       Reduction.SUM,
 *       ElementType.F32,
 *       List.of(
 *           new Rank(computed0.at(1), summed.at(1), x, x),
 *           new Rank(computed1.at(1), summed.at(1), y, y)));
 *   summed.await(1, Duration.ofSeconds(30)); // closing cancels collectives that have not begun
 * }
 * }</pre>
 *
 * <p>One call names what every rank waits for, what it signals and where its data is. The call is
 * accepted or rejected as a whole; a rejected call has no effect. It never blocks. The collective
 * runs when the waits of all ranks are reached, and raises the signals of all ranks when all of
 * them have their results (rule G1). Ranks may signal the same timepoint.
 *
 * <p>The ranges are whole buffers; use {@link DeviceBuffer#slice} for a part of one. Sources must
 * be created for {@link BufferUsage#TRANSFER_SOURCE}, and targets for {@link
 * BufferUsage#TRANSFER_TARGET}. For reductions, lengths and offsets must be multiples of the
 * element size. With a length of 0, nothing is moved. The buffers may be closed right after the
 * call (rule Q3).
 *
 * <p>Life cycle: <em>open</em> -> maybe <em>ended</em> (after a failure of a collective that had
 * begun, its deadline, or the loss or close of a device, rule G3: everything that has begun fails
 * with the first cause, as do later calls) -> <em>closed</em>.
 *
 * <p>All methods that start a collective throw a {@link HalException} with
 *
 * <ul>
 *   <li>INVALID_ARGUMENT if the number of ranks is wrong, a rank lacks a buffer that it needs or
 *       has one that it must not have, a buffer belongs to another device than the rank's, lengths
 *       do not match, a range is not aligned, or ranges overlap in a way that the method does not
 *       allow;
 *   <li>PERMISSION_DENIED if a buffer was not created for this use;
 *   <li>OUT_OF_RANGE if a rank is not in {@code [0, size())}, or a signal is already reached;
 *   <li>FAILED_PRECONDITION if the group, a device of it, a buffer or a semaphore is closed;
 *   <li>the cause if the group has ended.
 * </ul>
 *
 * <p>Thread-safe.
 */
public interface CollectiveGroup extends AutoCloseable {
  /** How long a collective may take by default. */
  Duration DEFAULT_DEADLINE = Duration.ofSeconds(30);

  /** The kind of data exchange. */
  enum Kind {
    /** The data of one rank goes to all ranks. */
    BROADCAST,
    /** The data of all ranks is reduced, and one rank gets the result. */
    REDUCE,
    /** The data of all ranks is reduced, and all ranks get the result. */
    ALL_REDUCE,
    /** All ranks get the data of all ranks, concatenated in rank order. */
    ALL_GATHER,
    /** The data of all ranks is reduced, and each rank gets its part of the result. */
    REDUCE_SCATTER,
    /** One rank gets the data of all ranks, concatenated in rank order. */
    GATHER,
    /** Each rank gets its part of the data of one rank. */
    SCATTER,
    /** Each rank gets its part of the data of every rank, concatenated in rank order. */
    ALL_TO_ALL,
    /** The data of one rank goes to another one. */
    SEND_RECEIVE;

    /** Returns whether elements are combined; otherwise, bytes are moved. */
    public boolean isReduction() {
      return this == REDUCE || this == ALL_REDUCE || this == REDUCE_SCATTER;
    }

    /** Returns the name for messages and tables, such as {@code all-reduce}. */
    public String label() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /**
   * The options of a group. Immutable.
   *
   * @param deadline how long a collective may take from the time at which it has begun (rule G3);
   *     more than zero
   * @param hostOnly whether data always goes through host memory, whatever the drivers offer
   */
  record Options(Duration deadline, boolean hostOnly) {
    /** The options of {@link #of(Device...)}: {@link #DEFAULT_DEADLINE}, any form. */
    public static final Options DEFAULT = new Options(DEFAULT_DEADLINE, false);

    /**
     * Checks the options.
     *
     * @throws HalException OUT_OF_RANGE if {@code deadline} is not more than zero
     */
    public Options {
      Objects.requireNonNull(deadline, "deadline");
      if (deadline.isZero() || deadline.isNegative()) {
        throw new HalException(
            Status.OUT_OF_RANGE,
            "deadline " + DurationText.of(deadline) + " must be more than zero");
      }
    }

    /**
     * Returns these options with another deadline.
     *
     * @throws HalException OUT_OF_RANGE if {@code deadline} is not more than zero
     */
    public Options withDeadline(Duration deadline) {
      return new Options(deadline, hostOnly);
    }

    /** Returns these options with {@link #hostOnly} set. */
    public Options withHostOnly() {
      return new Options(deadline, true);
    }
  }

  /**
   * The part of one rank in a collective. Immutable.
   *
   * @param waits the timepoints that must be reached before the collective runs (rule G2)
   * @param signals the timepoints that are signalled when the collective has ended
   * @param source the data that the rank contributes, or null if it contributes none
   * @param target where the rank gets its result, or null if it gets none
   */
  record Rank(
      Fence waits, Fence signals, @Nullable DeviceBuffer source, @Nullable DeviceBuffer target) {
    /** Rejects null fences. */
    public Rank {
      Objects.requireNonNull(waits, "waits");
      Objects.requireNonNull(signals, "signals");
    }
  }

  /**
   * How a collective is carried out. Immutable.
   *
   * @param name {@code host}: the data goes through host memory; {@code native}: it goes through a
   *     library of the devices' vendor
   * @param reason why this form was chosen, for users
   */
  record Form(String name, String reason) {
    /** Rejects null. */
    public Form {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(reason, "reason");
    }
  }

  /**
   * Creates a group of these devices, with {@link Options#DEFAULT}; see {@link #of(List, Options)}.
   */
  static CollectiveGroup of(Device... devices) {
    Objects.requireNonNull(devices, "devices");
    return of(List.of(devices), Options.DEFAULT);
  }

  /**
   * Creates a group of these devices. The caller closes it. This may block for seconds when a
   * library of the devices' vendor is used for the first time. Two {@link Device} objects that were
   * opened on one piece of hardware are two ranks.
   *
   * @throws HalException INVALID_ARGUMENT if there is no device, or if one is listed twice;
   *     UNIMPLEMENTED if the driver of one offers no collectives; FAILED_PRECONDITION if one is
   *     closed, or if called from a callback, a host call, external work or a thread of a device;
   *     the cause if one is lost; UNAVAILABLE if the jar hal-collectives, which drivers bring
   *     along, is missing; RESOURCE_EXHAUSTED if there is too little memory
   */
  static CollectiveGroup of(List<? extends Device> devices, Options options) {
    return Groups.make(devices, options);
  }

  /** Returns the devices, in rank order. */
  List<Device> devices();

  /** Returns the number of ranks. */
  int size();

  /**
   * Copies the source of rank {@code root} to the targets of all ranks. Only the root has a source.
   * Its target may be its source, or null. All buffers have the same length.
   *
   * @throws HalException as described for the group
   */
  void broadcast(int root, List<Rank> ranks);

  /**
   * Reduces the sources of all ranks into the target of rank {@code root}, which may be its source.
   * Only the root has a target. All buffers have the same length.
   *
   * @throws HalException INVALID_ARGUMENT for the average of integers, and as described for the
   *     group
   */
  void reduce(int root, Reduction reduction, ElementType type, List<Rank> ranks);

  /**
   * Reduces the sources of all ranks into the targets of all ranks; a rank's target may be its
   * source. All buffers have the same length. All ranks get the same bits (rule G5).
   *
   * @throws HalException INVALID_ARGUMENT for the average of integers, and as described for the
   *     group
   */
  void allReduce(Reduction reduction, ElementType type, List<Rank> ranks);

  /**
   * Copies the sources of all ranks, concatenated in rank order, to the targets of all ranks. All
   * sources have the same length. All targets have that length times the number of ranks. A rank's
   * source may be its own part of its target; for rank 1, that is the second part.
   *
   * @throws HalException as described for the group
   */
  void allGather(List<Rank> ranks);

  /**
   * Reduces the sources of all ranks, and writes to each rank's target its own part of the result;
   * for rank 1, that is the second part. All targets have the same length. All sources have that
   * length times the number of ranks. A rank's target may be its own part of its source.
   *
   * @throws HalException INVALID_ARGUMENT for the average of integers, and as described for the
   *     group
   */
  void reduceScatter(Reduction reduction, ElementType type, List<Rank> ranks);

  /**
   * Copies the sources of all ranks, concatenated in rank order, to the target of rank {@code
   * root}. Only the root has a target. All sources have the same length, and the target has that
   * length times the number of ranks. The root's source may be its own part of its target.
   *
   * @throws HalException as described for the group
   */
  void gather(int root, List<Rank> ranks);

  /**
   * Copies to each rank's target its own part of the source of rank {@code root}; for rank 1, that
   * is the second part. Only the root has a source. All targets have the same length, and the
   * source has that length times the number of ranks. The root's target may be its own part of its
   * source.
   *
   * @throws HalException as described for the group
   */
  void scatter(int root, List<Rank> ranks);

  /**
   * Copies part <i>t</i> of the source of rank <i>s</i> to part <i>s</i> of the target of rank
   * <i>t</i>, for all ranks <i>s</i> and <i>t</i>: the parts are transposed. All buffers have the
   * same length, which is a multiple of the number of ranks. No range may overlap a target, so this
   * cannot be done in place.
   *
   * @throws HalException as described for the group
   */
  void allToAll(List<Rank> ranks);

  /**
   * Copies the source of rank {@code from} to the target of rank {@code to}, which must be another
   * one. The other ranks have no buffers; they only wait and signal.
   *
   * @throws HalException as described for the group
   */
  void sendReceive(int from, int to, List<Rank> ranks);

  /**
   * Returns how a collective of device memory that the ranks have allocated would be carried out.
   * Other memory goes through the host.
   *
   * @param reduction null for the kinds that move bytes
   * @param type null for the kinds that move bytes
   * @throws HalException INVALID_ARGUMENT for the average of integers, if a reduction or a type is
   *     missing, or if one is passed for a kind that moves bytes
   */
  Form form(Kind kind, @Nullable Reduction reduction, @Nullable ElementType type);

  /**
   * Returns why the group has ended, or null if it has not ended or was closed before anything
   * failed.
   */
  @Nullable HalException failure();

  /** Returns whether {@link #close()} has begun. */
  boolean isClosed();

  /**
   * Closes the group (rule G3). Collectives that have not begun get CANCELLED. The close waits for
   * those that have begun, up to the longest {@code close-timeout} of the devices; then their
   * signals fail with DEADLINE_EXCEEDED. The devices stay open.
   *
   * <p>Closing twice is harmless; a second call returns when the group is closed. A group may be
   * closed after its devices.
   *
   * @throws HalException FAILED_PRECONDITION if called from a callback, a host call, external work
   *     or a thread of a device
   */
  @Override
  void close();
}
