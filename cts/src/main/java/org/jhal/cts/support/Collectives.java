// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.support;

import java.util.List;
import java.util.Objects;
import org.jhal.CollectiveGroup;
import org.jhal.CollectiveGroup.Kind;
import org.jhal.CollectiveGroup.Rank;
import org.jhal.ElementType;
import org.jhal.Reduction;
import org.jspecify.annotations.Nullable;

/** Calls of collectives by their kind. */
public final class Collectives {
  private Collectives() {}

  /** Returns whether a rank has a source. */
  public static boolean hasSource(Kind kind, int rank, int root) {
    return switch (kind) {
      case BROADCAST, SCATTER, SEND_RECEIVE -> rank == root;
      case REDUCE, ALL_REDUCE, GATHER, ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL -> true;
    };
  }

  /** Returns whether a rank has a target; that of a broadcast's root is optional. */
  public static boolean hasTarget(Kind kind, int rank, int root, int receiver) {
    return switch (kind) {
      case REDUCE, GATHER -> rank == root;
      case SEND_RECEIVE -> rank == receiver;
      case BROADCAST, ALL_REDUCE, ALL_GATHER, SCATTER, REDUCE_SCATTER, ALL_TO_ALL -> true;
    };
  }

  /** Returns how many parts each source has. */
  public static int sourceParts(Kind kind, int ranks) {
    boolean isMore = kind == Kind.SCATTER || kind == Kind.REDUCE_SCATTER || kind == Kind.ALL_TO_ALL;
    return isMore ? ranks : 1;
  }

  /** Returns how many parts each target has. */
  public static int targetParts(Kind kind, int ranks) {
    boolean isMore = kind == Kind.GATHER || kind == Kind.ALL_GATHER || kind == Kind.ALL_TO_ALL;
    return isMore ? ranks : 1;
  }

  /**
   * Calls a collective of a kind.
   *
   * @param root the root, or the rank that sends
   * @param receiver the rank that receives what the root sends; the other kinds ignore it
   * @param reduction may be null for kinds that reduce nothing, which ignore it and the type
   */
  public static void start(
      CollectiveGroup group,
      Kind kind,
      int root,
      int receiver,
      @Nullable Reduction reduction,
      ElementType type,
      List<Rank> all) {
    switch (kind) {
      case BROADCAST -> group.broadcast(root, all);
      case REDUCE -> group.reduce(root, Objects.requireNonNull(reduction), type, all);
      case ALL_REDUCE -> group.allReduce(Objects.requireNonNull(reduction), type, all);
      case ALL_GATHER -> group.allGather(all);
      case REDUCE_SCATTER -> group.reduceScatter(Objects.requireNonNull(reduction), type, all);
      case GATHER -> group.gather(root, all);
      case SCATTER -> group.scatter(root, all);
      case ALL_TO_ALL -> group.allToAll(all);
      case SEND_RECEIVE -> group.sendReceive(root, receiver, all);
    }
  }
}
