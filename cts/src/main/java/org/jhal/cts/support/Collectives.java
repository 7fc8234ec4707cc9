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
      case SEND_RECEIVE -> group.sendReceive(root, receiver, all);
    }
  }
}
