// SPDX-License-Identifier: Apache-2.0
package org.jhal.collectives;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.IntPredicate;
import org.jhal.CollectiveGroup;
import org.jhal.ElementType;
import org.jhal.HalException;
import org.jhal.Reduction;
import org.jhal.driver.CollectiveCall;
import org.jhal.driver.NativeGroup;
import org.jhal.driver.NativeStream;
import org.jspecify.annotations.Nullable;

/**
 * The driver's part of a group of at most two. Its collectives do nothing. The test decides which
 * ranks are past; queries are counted, those after the close as misuses.
 */
final class FakeGroup implements NativeGroup<Object> {
  private final IntPredicate isPast;
  final AtomicIntegerArray asked = new AtomicIntegerArray(2); // by rank
  final AtomicInteger misuses = new AtomicInteger();
  volatile boolean isClosed;

  /** Runs before a collective begins. */
  volatile Runnable atTurn = () -> {};

  /** The body of a collective. */
  volatile Runnable atIssue = () -> {};

  /** The first step of a close. */
  volatile Runnable atClose = () -> {};

  FakeGroup(IntPredicate isPast) {
    this.isPast = isPast;
  }

  @Override
  public String description() {
    return "fake";
  }

  @Override
  public @Nullable String obstacle(
      CollectiveGroup.Kind kind, @Nullable Reduction reduction, @Nullable ElementType type) {
    return null;
  }

  @Override
  public int weight() {
    return 1;
  }

  @Override
  public @Nullable HalException issue(
      CollectiveCall call,
      NativeStream<Object> stream,
      boolean isBehind,
      long patience,
      Runnable begins) {
    atTurn.run();
    begins.run();
    atIssue.run();
    return null;
  }

  @Override
  public void abort(long patience) {}

  @Override
  public boolean isPast(int rank) {
    if (isClosed) {
      misuses.incrementAndGet();
    }
    asked.incrementAndGet(rank);
    return isPast.test(rank);
  }

  @Override
  public void close() {
    atClose.run();
    isClosed = true;
  }
}
