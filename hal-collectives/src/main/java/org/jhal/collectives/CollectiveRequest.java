// SPDX-License-Identifier: Apache-2.0
package org.jhal.collectives;

import java.util.ArrayList;
import java.util.List;
import org.jhal.CollectiveGroup.Kind;
import org.jhal.ElementType;
import org.jhal.Reduction;
import org.jhal.collectives.arithmetic.Layout;
import org.jhal.driver.CollectiveCall;
import org.jhal.engine.hazard.RecordedOperation;
import org.jhal.engine.hazard.Use;
import org.jhal.engine.memory.EngineBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What a collective moves and computes.
 *
 * @param layout which bytes go where
 * @param root see {@link CollectiveCall#root}
 * @param receiver see {@link CollectiveCall#receiver}
 * @param sources by rank, with handles that stay usable until the operation retires
 * @param targets as the sources
 */
record CollectiveRequest(
    Kind kind,
    Layout layout,
    int root,
    int receiver,
    @Nullable Reduction reduction,
    @Nullable ElementType type,
    @Nullable EngineBuffer[] sources,
    @Nullable EngineBuffer[] targets) {

  /** Whether all memory is the rank's own, on the device and not imported, and there is any. */
  boolean isOnDevices() {
    if (layout.bytes() == 0) {
      return false;
    }
    for (int rank = 0; rank < sources.length; rank++) {
      if (!isOnDevice(sources[rank]) || !isOnDevice(targets[rank])) {
        return false;
      }
    }
    return true;
  }

  private static boolean isOnDevice(@Nullable EngineBuffer buffer) {
    return buffer == null || buffer.storage.isOnDevice();
  }

  /** Says what memory it touches. */
  void recordUses(RecordedOperation recorded) {
    for (Layout.Piece piece : layout.pieces()) {
      piece.sources().forEach(place -> recordUse(recorded, sources, place, Use.READ));
      piece.targets().forEach(place -> recordUse(recorded, targets, place, Use.WRITE));
    }
  }

  private void recordUse(
      RecordedOperation recorded, @Nullable EngineBuffer[] buffers, Layout.Place place, Use use) {
    EngineBuffer buffer = buffers[place.rank()];
    if (buffer != null) {
      long from = buffer.offset + place.offset();
      recorded.touches(buffer.storage.touched(), from, from + layout.length(), use, "");
    }
  }

  /** The same for a driver. The memory is allocated. */
  CollectiveCall call() {
    List<CollectiveCall.Rank> ranks = new ArrayList<>();
    for (int rank = 0; rank < sources.length; rank++) {
      ranks.add(new CollectiveCall.Rank(range(sources[rank]), range(targets[rank])));
    }
    return new CollectiveCall(kind, root, receiver, reduction, type, layout.length(), ranks);
  }

  private static CollectiveCall.@Nullable Range range(@Nullable EngineBuffer buffer) {
    return buffer == null ? null : new CollectiveCall.Range(buffer.storage.memory(), buffer.offset);
  }
}
