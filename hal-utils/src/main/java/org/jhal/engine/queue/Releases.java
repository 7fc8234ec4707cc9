// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import java.util.function.Consumer;
import org.jhal.engine.concurrent.RefCounted;
import org.jspecify.annotations.Nullable;

/**
 * Batches the release of references. Consecutive operations mostly use the same resources, so one
 * atomic subtraction drops the references that many operations hold to a resource.
 *
 * <p>Not thread-safe.
 */
final class Releases implements Consumer<RefCounted> {
  /** How many distinct resources are batched. One more flushes the batch. */
  private static final int SIZE = 16;

  private final @Nullable RefCounted[] resources = new RefCounted[SIZE];
  private final int[] counts = new int[SIZE];
  private int size;

  /** Adds a reference to release. */
  @Override
  public void accept(RefCounted resource) {
    for (int i = 0; i < size; i++) {
      if (resources[i] == resource) {
        counts[i]++;
        return;
      }
    }
    if (size == SIZE) {
      flush();
    }
    resources[size] = resource;
    counts[size++] = 1;
  }

  /** Releases all references in the batch. */
  void flush() {
    int count = size;
    size = 0;
    for (int i = 0; i < count; i++) {
      RefCounted resource = resources[i];
      resources[i] = null;
      if (resource != null) {
        resource.release(counts[i]);
      }
    }
  }
}
