// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import org.jhal.driver.NativeStream;
import org.jspecify.annotations.Nullable;

/** The work of a barrier: nothing between its waits and its signals. */
public final class NoWork<E> implements Work<E> {
  private static final NoWork<?> INSTANCE = new NoWork<>();

  private NoWork() {}

  /** The one object, which all barriers share. */
  @SuppressWarnings("unchecked") // it does nothing with events of any type
  public static <E> NoWork<E> get() {
    return (NoWork<E>) INSTANCE;
  }

  @Override
  public @Nullable Throwable issue(NativeStream<E> stream, Batch<E> batch, Operation<E> operation) {
    return batch.submitTo(stream);
  }

  @Override
  public String kind() {
    return "barrier";
  }
}
