// SPDX-License-Identifier: Apache-2.0
package org.jhal.testkit;

import org.jhal.CollectiveGroup;
import org.jhal.ElementType;
import org.jhal.HalException;
import org.jhal.Reduction;
import org.jhal.driver.CollectiveCall;
import org.jhal.driver.NativeGroup;
import org.jhal.driver.NativeStream;
import org.jspecify.annotations.Nullable;

/** A driver's native group, which gets the driver's own streams. */
final class ControlledGroup<E> implements NativeGroup<E> {
  private final NativeGroup<E> real;

  ControlledGroup(NativeGroup<E> real) {
    this.real = real;
  }

  @Override
  public String description() {
    return real.description();
  }

  @Override
  public @Nullable String obstacle(
      CollectiveGroup.Kind kind, @Nullable Reduction reduction, @Nullable ElementType type) {
    return real.obstacle(kind, reduction, type);
  }

  @Override
  public int weight() {
    return real.weight();
  }

  @Override
  public @Nullable HalException issue(
      CollectiveCall call,
      NativeStream<E> stream,
      boolean isBehind,
      long patience,
      Runnable begins) {
    NativeStream<E> own =
        stream instanceof ControlledStream<E> controlled ? controlled.real() : stream;
    return real.issue(call, own, isBehind, patience, begins);
  }

  @Override
  public @Nullable HalException failure() {
    return real.failure();
  }

  @Override
  public void abort(long patience) {
    real.abort(patience);
  }

  @Override
  public boolean isPast(int rank) {
    return real.isPast(rank);
  }

  @Override
  public void close() {
    real.close();
  }
}
