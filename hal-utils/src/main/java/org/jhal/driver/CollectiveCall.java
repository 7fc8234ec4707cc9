// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver;

import java.util.List;
import org.jhal.CollectiveGroup;
import org.jhal.ElementType;
import org.jhal.Reduction;
import org.jspecify.annotations.Nullable;

/**
 * A collective for a {@link NativeGroup}.
 *
 * @param kind what it does
 * @param root the rank from which data is broadcast or scattered, or to which it is reduced or
 *     gathered, or that sends; otherwise 0
 * @param receiver the rank that receives what {@code root} sends; otherwise 0
 * @param reduction null for the kinds that move bytes
 * @param type null for the kinds that move bytes
 * @param length bytes that each rank contributes to a gather or an all-gather, or gets of a scatter
 *     or a reduce-scatter, or that two ranks exchange in an all-to-all; of the other kinds, the
 *     bytes of all sources and targets; more than 0
 * @param ranks what each rank has
 */
public record CollectiveCall(
    CollectiveGroup.Kind kind,
    int root,
    int receiver,
    @Nullable Reduction reduction,
    @Nullable ElementType type,
    long length,
    List<Rank> ranks) {
  /** Copies the list. */
  public CollectiveCall {
    ranks = List.copyOf(ranks);
  }

  /**
   * A range of memory that its own device has allocated.
   *
   * @param memory the allocation
   * @param offset the first byte
   */
  public record Range(DeviceMemory memory, long offset) {}

  /**
   * The data of a rank.
   *
   * @param source what it contributes, or null
   * @param target where it gets its result, or null
   */
  public record Rank(@Nullable Range source, @Nullable Range target) {}
}
