// SPDX-License-Identifier: Apache-2.0
package org.jhal.collectives;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.IntToLongFunction;
import org.jhal.BufferUsage;
import org.jhal.CollectiveGroup.Kind;
import org.jhal.CollectiveGroup.Rank;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.HalException;
import org.jhal.Reduction;
import org.jhal.Status;
import org.jhal.collectives.arithmetic.Layout;
import org.jhal.driver.Command;
import org.jhal.engine.base.Checks;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.memory.EngineBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of one collective while they are checked. Every method refuses bad ones with a
 * {@link HalException} that names the rank.
 *
 * <p>For one thread.
 */
final class GroupCall {
  private final GroupLife group;
  private final Kind kind;
  private final int root; // or the sender
  private final int receiver;
  private final @Nullable Reduction reduction;
  private final @Nullable ElementType type;
  private final List<Rank> ranks;
  private final @Nullable EngineBuffer[] sources;
  private final @Nullable EngineBuffer[] targets;
  private final boolean[] isInPlace;

  GroupCall(
      GroupLife group,
      Kind kind,
      int root,
      int receiver,
      @Nullable Reduction reduction,
      @Nullable ElementType type,
      List<Rank> ranks) {
    this.group = group;
    this.kind = kind;
    this.root = root;
    this.receiver = receiver;
    this.reduction = reduction;
    this.type = type;
    for (Rank rank : Objects.requireNonNull(ranks, "ranks")) {
      Objects.requireNonNull(rank, "ranks has a null");
    }
    this.ranks = List.copyOf(ranks);
    int size = group.devices.size();
    if (this.ranks.size() != size) {
      throw refuse(
          "names "
              + this.ranks.size()
              + (this.ranks.size() == 1 ? " rank" : " ranks")
              + "; the group has "
              + size);
    }
    this.sources = new @Nullable EngineBuffer[size];
    this.targets = new @Nullable EngineBuffer[size];
    this.isInPlace = new boolean[size];
  }

  private HalException refuse(String why) {
    return new HalException(Status.INVALID_ARGUMENT, kind.label() + " " + why);
  }

  List<Rank> ranks() {
    return ranks;
  }

  /** Checks everything. The request has handles that stay usable until the operation retires. */
  CollectiveRequest check() {
    int size = ranks.size();
    for (int rank = 0; rank < size; rank++) {
      boolean hasSource = hasSource(rank);
      boolean hasTarget = hasTarget(rank);
      boolean mayHaveTarget = hasTarget || kind == Kind.BROADCAST; // the root's is in place
      sources[rank] = buffer(rank, "source", ranks.get(rank).source(), hasSource, hasSource);
      targets[rank] = buffer(rank, "target", ranks.get(rank).target(), hasTarget, mayHaveTarget);
    }
    long length =
        switch (kind) {
          case GATHER, ALL_GATHER -> sameLength(1, size);
          case SCATTER, REDUCE_SCATTER -> sameLength(size, 1);
          case ALL_TO_ALL -> sameLength(size, size);
          case BROADCAST, REDUCE, ALL_REDUCE, SEND_RECEIVE -> sameLength(1, 1);
        };
    checkInPlace(
        switch (kind) {
          case GATHER, ALL_GATHER -> rank -> rank * length;
          case SCATTER, REDUCE_SCATTER -> rank -> -rank * length;
          default -> rank -> 0;
        });
    return new CollectiveRequest(
        kind, layout(length), root, receiver, reduction, type, aliases(sources), aliases(targets));
  }

  private boolean hasSource(int rank) {
    return switch (kind) {
      case BROADCAST, SCATTER, SEND_RECEIVE -> rank == root;
      case REDUCE, ALL_REDUCE, GATHER, ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL -> true;
    };
  }

  private boolean hasTarget(int rank) {
    return switch (kind) {
      case BROADCAST -> rank != root;
      case REDUCE, GATHER -> rank == root;
      case SEND_RECEIVE -> rank == receiver;
      case ALL_REDUCE, ALL_GATHER, SCATTER, REDUCE_SCATTER, ALL_TO_ALL -> true;
    };
  }

  private Layout layout(long length) {
    int size = ranks.size();
    return switch (kind) {
      case BROADCAST ->
          Layout.broadcast(root, size, length, rank -> targets[rank] != null && !isInPlace[rank]);
      case REDUCE -> Layout.reduce(root, size, length);
      case ALL_REDUCE -> Layout.allReduce(size, length);
      case ALL_GATHER -> Layout.allGather(size, length, rank -> isInPlace[rank]);
      case REDUCE_SCATTER -> Layout.reduceScatter(size, length);
      case GATHER -> Layout.gather(root, size, length, rank -> isInPlace[rank]);
      case SCATTER -> Layout.scatter(root, size, length, rank -> isInPlace[rank]);
      case ALL_TO_ALL -> Layout.allToAll(size, length);
      case SEND_RECEIVE -> Layout.sendReceive(root, receiver, length);
    };
  }

  private @Nullable EngineBuffer buffer(
      int rank, String what, @Nullable DeviceBuffer buffer, boolean isNeeded, boolean isAllowed) {
    String name = what + " of rank " + rank;
    if (buffer == null) {
      if (isNeeded) {
        throw refuse("needs a " + name + "; got null");
      }
      return null;
    }
    if (!isAllowed) {
      throw refuse("takes no " + name + "; got " + buffer);
    }
    DeviceCore<?> device = group.devices.get(rank);
    EngineBuffer own = EngineBuffer.usable(device, name, buffer);
    boolean isSource = what.equals("source");
    own.checkUsage(name, isSource ? BufferUsage.TRANSFER_SOURCE : BufferUsage.TRANSFER_TARGET);
    var unused = Checks.supported(device, isSource ? Command.Kind.READBACK : Command.Kind.UPLOAD);
    if (type != null && own.offset % type.bytes() != 0) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "the %s begins at %s; it must be a multiple of %s"
              .formatted(name, own.offset, type.bytes()));
    }
    return own;
  }

  /**
   * Checks that all sources have the same length, and all targets, and that the two fit together.
   *
   * @param sourceParts how many parts a source has
   * @param targetParts how many parts a target has
   * @return the length of a part
   */
  private long sameLength(int sourceParts, int targetParts) {
    String first = ""; // with its length
    long part = -1;
    for (int rank = 0; rank < ranks.size(); rank++) {
      for (boolean isSource : new boolean[] {true, false}) {
        EngineBuffer buffer = isSource ? sources[rank] : targets[rank];
        if (buffer == null) {
          continue;
        }
        String name = (isSource ? "source" : "target") + " of rank " + rank;
        int parts = isSource ? sourceParts : targetParts;
        long own = part(name, buffer.size(), parts);
        if (part < 0) {
          part = own;
          first = name + ", which has " + buffer.size();
        } else if (own != part) {
          throw refuse(
              "needs "
                  + part * parts
                  + " bytes as "
                  + name
                  + (parts == 1 ? "" : ", " + parts + " times " + part)
                  + ", to fit the "
                  + first
                  + "; got "
                  + buffer.size());
        }
      }
    }
    return part;
  }

  private long part(String name, long size, int parts) {
    int unit = type == null ? 1 : type.bytes();
    if (size % parts != 0 || size / parts % unit != 0) {
      throw refuse(
          "needs "
              + (parts == 1 ? "" : parts + " equal parts, each ")
              + "a multiple of "
              + unit
              + " bytes; the "
              + name
              + " has "
              + size);
    }
    return size / parts;
  }

  /**
   * Checks that no target overlaps another range, unless a rank's source and target are in place.
   *
   * @param shift how far behind a rank's target its source starts if they are in place
   */
  private void checkInPlace(IntToLongFunction shift) {
    for (int rank = 0; rank < ranks.size(); rank++) {
      EngineBuffer target = targets[rank];
      if (target == null) {
        continue;
      }
      for (int other = 0; other < ranks.size(); other++) {
        EngineBuffer source = sources[other];
        if (source != null && overlap(source, target)) {
          boolean isAllowed =
              kind != Kind.ALL_TO_ALL // whose parts would be written before they are read
                  && other == rank
                  && source.offset == target.offset + shift.applyAsLong(rank);
          if (!isAllowed) {
            throw refuse(
                "cannot have a source of rank "
                    + other
                    + " and a target of rank "
                    + rank
                    + " that overlap"
                    + (other == rank ? " like this; see CollectiveGroup for in place" : ""));
          }
          isInPlace[rank] = true;
        }
        EngineBuffer next = targets[other];
        if (other > rank && next != null && overlap(target, next)) {
          throw refuse("cannot have targets of ranks " + rank + " and " + other + " that overlap");
        }
      }
    }
  }

  private static boolean overlap(EngineBuffer a, EngineBuffer b) {
    return a.storage.home() == b.storage.home() // also if one rank uses another device's memory
        && a.offset < b.offset + b.size()
        && b.offset < a.offset + a.size();
  }

  /** The buffers that take part. */
  List<EngineBuffer> buffers() {
    List<EngineBuffer> all = new ArrayList<>();
    for (int rank = 0; rank < ranks.size(); rank++) {
      for (EngineBuffer buffer : new @Nullable EngineBuffer[] {sources[rank], targets[rank]}) {
        if (buffer != null) {
          all.add(buffer);
        }
      }
    }
    return all;
  }

  private static @Nullable EngineBuffer[] aliases(@Nullable EngineBuffer[] buffers) {
    @Nullable EngineBuffer[] aliases = new @Nullable EngineBuffer[buffers.length];
    for (int i = 0; i < buffers.length; i++) {
      EngineBuffer buffer = buffers[i];
      aliases[i] = buffer == null ? null : buffer.alias();
    }
    return aliases;
  }
}
