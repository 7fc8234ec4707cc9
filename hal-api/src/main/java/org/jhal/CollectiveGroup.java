package org.jhal;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Devices that exchange data together: each is a <em>rank</em>, numbered from 0 in the order in
 * which they were named. The devices may belong to any drivers.
 *
 * <pre>{@code
 * try (CollectiveGroup group = CollectiveGroup.of(first, second)) {
 *   group.allReduce(
 *       Reduction.SUM,
 *       ElementType.F32,
 *       List.of(
 *           new Rank(computed0.at(1), summed.at(1), x, x),
 *           new Rank(computed1.at(1), summed.at(1), y, y)));
 *   summed.await(1, Duration.ofSeconds(30)); // closing cancels what has not begun
 * }
 * }</pre>
 *
 * <p>One call names what every rank waits for, what it signals and where its data is, and is
 * accepted or refused as a whole; a call that is refused has had no effect. It never blocks. The
 * collective runs when the waits of all ranks are reached, and raises the signals of all ranks when
 * all of them have their results (rule G1). Ranks may signal the same timepoint.
 *
 * <p>The ranges are whole buffers; {@link DeviceBuffer#slice} gives a part of one. Sources must be
 * made for {@link BufferUsage#TRANSFER_SOURCE}, targets for {@link BufferUsage#TRANSFER_TARGET}.
 * Where elements are reduced, lengths and offsets are multiples of the element's size. With a
 * length of 0 nothing is moved. The buffers may be closed right after the call (rule Q3).
 *
 * <p>Life cycle: <em>open</em> -> maybe <em>ended</em> (after a failure of a collective that had
 * begun, its deadline, or the loss or close of a device, rule G3: everything that has begun fails
 * with the first cause, as do later calls) -> <em>closed</em>.
 *
 * <p>All methods that start a collective throw a {@link HalException} with
 *
 * <ul>
 *   <li>INVALID_ARGUMENT if the number of ranks is wrong, a rank has no buffer where it needs one
 *       or has one where it must not, a buffer belongs to another device than the rank's, lengths
 *       do not fit together, a range is not aligned, or ranges overlap otherwise than as the method
 *       allows;
 *   <li>PERMISSION_DENIED if a buffer was not made for this use;
 *   <li>OUT_OF_RANGE if a rank is not in {@code [0, size())}, or a signal is already reached;
 *   <li>FAILED_PRECONDITION if the group, a device of it, a buffer or a semaphore is closed;
 *   <li>the cause if the group has ended.
 * </ul>
 *
 * <p>Thread-safe.
 */
public interface CollectiveGroup extends AutoCloseable {
  /** How long a collective may take unless {@link Options} say otherwise. */
  Duration DEFAULT_DEADLINE = Duration.ofSeconds(30);

  /** What a collective does. */
  enum Kind {
    /** One rank's data goes to all. */
    BROADCAST,
    /** The data of all is reduced to one rank. */
    REDUCE,
    /** The data of all is reduced, and all get the result. */
    ALL_REDUCE,
    /** All get the data of all, one behind the other. */
    ALL_GATHER,
    /** The data of all is reduced, and each rank gets its part of the result. */
    REDUCE_SCATTER,
    /** One rank's data goes to another. */
    SEND_RECEIVE;

    /** Whether elements are combined; if not, bytes are moved. */
    public boolean isReduction() {
      return this == REDUCE || this == ALL_REDUCE || this == REDUCE_SCATTER;
    }

    /** The name for messages and tables, such as {@code all-reduce}. */
    public String label() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /**
   * How a group works.
   *
   * @param deadline how long a collective may take, from when what it waits for is over (rule G3);
   *     more than zero
   * @param hostOnly whether data always goes through host memory, whatever else the drivers offer
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
            Status.OUT_OF_RANGE, "deadline " + deadline + " must be more than zero");
      }
    }

    /** These options with another deadline. */
    public Options withDeadline(Duration deadline) {
      return new Options(deadline, hostOnly);
    }

    /** These options with {@link #hostOnly} set. */
    public Options withHostOnly() {
      return new Options(deadline, true);
    }
  }

  /**
   * The part of one rank in a collective.
   *
   * @param waits what must be reached before the collective begins
   * @param signals what is raised when it is over
   * @param source what the rank contributes, or null if nothing
   * @param target where the rank gets its result, or null if nowhere
   */
  record Rank(
      Fence waits, Fence signals, @Nullable DeviceBuffer source, @Nullable DeviceBuffer target) {
    /** Refuses null fences. */
    public Rank {
      Objects.requireNonNull(waits, "waits");
      Objects.requireNonNull(signals, "signals");
    }
  }

  /**
   * How a collective is carried out.
   *
   * @param name {@code host}: the data goes through host memory; {@code native}: through a library
   *     of the devices' vendor
   * @param reason why it is this one
   */
  record Form(String name, String reason) {
    /** Refuses nulls. */
    public Form {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(reason, "reason");
    }
  }

  /** A group of these devices, with {@link Options#DEFAULT}; see {@link #of(List, Options)}. */
  static CollectiveGroup of(Device... devices) {
    Objects.requireNonNull(devices, "devices");
    return of(List.of(devices), Options.DEFAULT);
  }

  /**
   * A group of these devices. It may block for seconds, when a library of the devices' vendor is
   * used for the first time. Two {@link Device} objects that were opened on one piece of hardware
   * are two ranks.
   *
   * @throws HalException INVALID_ARGUMENT if there is no device, or one of them twice;
   *     UNIMPLEMENTED if the driver of one offers no collectives; FAILED_PRECONDITION if one is
   *     closed, or on a callback, in a host call, in external work or on a thread of a device; the
   *     cause if one is lost; RESOURCE_EXHAUSTED if there is too little memory
   */
  static CollectiveGroup of(List<? extends Device> devices, Options options) {
    return Groups.make(devices, options);
  }

  /** The devices, by rank. */
  List<Device> devices();

  /** The number of ranks. */
  int size();

  /**
   * Copies the source of rank {@code root} to the targets of all ranks. Only the root has a source.
   * Its target may be its source, or null. All have the same length.
   */
  void broadcast(int root, List<Rank> ranks);

  /**
   * Reduces the sources of all ranks into the target of rank {@code root}, which may be its source.
   * Only the root has a target. All have the same length.
   *
   * @throws HalException INVALID_ARGUMENT for the average of integers, and as described for the
   *     group
   */
  void reduce(int root, Reduction reduction, ElementType type, List<Rank> ranks);

  /**
   * Reduces the sources of all ranks into the targets of all ranks; a rank's target may be its
   * source. All have the same length. All ranks get the same bits (rule G5).
   *
   * @throws HalException INVALID_ARGUMENT for the average of integers, and as described for the
   *     group
   */
  void allReduce(Reduction reduction, ElementType type, List<Rank> ranks);

  /**
   * Copies the sources of all ranks, one behind the other, to the targets of all ranks. All sources
   * have the same length, and all targets that times the number of ranks. A rank's source may be
   * its own part of its target: rank 1's source then is the second part.
   */
  void allGather(List<Rank> ranks);

  /**
   * Reduces the sources of all ranks; each rank's target gets its own part of the result: rank 1
   * gets the second part. All targets have the same length, and all sources that times the number
   * of ranks. A rank's target may be its own part of its source.
   *
   * @throws HalException INVALID_ARGUMENT for the average of integers, and as described for the
   *     group
   */
  void reduceScatter(Reduction reduction, ElementType type, List<Rank> ranks);

  /**
   * Copies the source of rank {@code from} to the target of rank {@code to}, another one. The other
   * ranks have no buffers; they only wait and signal.
   */
  void sendReceive(int from, int to, List<Rank> ranks);

  /**
   * How a collective of device memory that the ranks have allocated would be carried out; other
   * memory goes through the host.
   *
   * @param reduction null for the kinds that move bytes
   * @param type null for the kinds that move bytes
   * @throws HalException INVALID_ARGUMENT for the average of integers, if a reduction or a type is
   *     missing, or if one is given for a kind that moves bytes
   */
  Form form(Kind kind, @Nullable Reduction reduction, @Nullable ElementType type);

  /** Why the group has ended, or null if it has not, or was closed before anything failed. */
  @Nullable HalException failure();

  /** Whether {@link #close()} has begun. */
  boolean isClosed();

  /**
   * Closes the group (rule G3). Collectives that have not begun get CANCELLED. One that has begun
   * is waited for, up to the longest {@code close-timeout} of the devices; then its signals fail
   * with DEADLINE_EXCEEDED. The devices stay open.
   *
   * <p>Closing twice is harmless; a second caller returns when the group is closed. A group may be
   * closed after its devices.
   *
   * @throws HalException FAILED_PRECONDITION if called from a callback, a host call, external work
   *     or a thread of a device
   */
  @Override
  void close();
}
