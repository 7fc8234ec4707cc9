// SPDX-License-Identifier: Apache-2.0
package org.jhal.collectives;

import java.util.List;
import java.util.Objects;
import org.jhal.CollectiveGroup;
import org.jhal.CollectiveGroup.Rank;
import org.jhal.ElementType;
import org.jhal.Fence;
import org.jhal.Reduction;
import org.jhal.engine.RefusedCalls;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A throwable from reading an argument, or from a query of the driver, refuses a collective that is
 * not yet visible. Nothing is registered, counted, kept or lost, and the same call works afterwards
 * (rule M5).
 */
@Timeout(120)
class RefusedCollectiveTest extends RefusedCalls {
  private static final class AllReduce implements Call {
    private volatile @Nullable CollectiveGroup group; // of the fixture in use

    @Override
    public void prepare(Fixture on) {
      group = on.keep(CollectiveGroup.of(on.device, on.other));
    }

    private void enqueue(List<Rank> ranks) {
      Objects.requireNonNull(group).allReduce(Reduction.SUM, ElementType.I32, ranks);
    }

    @Override
    public void enqueue(Fixture on, Fence waits, Fence signals) {
      enqueue(
          List.of(
              new Rank(waits, signals, on.buffer, on.buffer),
              new Rank(Fence.NONE, Fence.NONE, on.foreign, on.foreign)));
    }

    @Override
    public String toString() {
      return "ALL_REDUCE";
    }
  }

  @Test
  void aThrowingStreamQueryRefusesTheCall() throws Exception {
    assertRefusedByQueries(new AllReduce());
  }

  @Test
  void aThrowingArgumentRefusesTheCall() throws Exception {
    AllReduce call = new AllReduce();
    assertRefused(
        List.of(
            new Bad(
                call,
                (on, thrown, waits, signals) ->
                    call.enqueue(
                        badList(new Rank(waits, signals, on.buffer, on.buffer), thrown)))));
  }
}
