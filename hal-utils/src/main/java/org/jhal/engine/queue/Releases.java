package org.jhal.engine.queue;

import java.util.function.Consumer;
import org.jhal.engine.concurrent.RefCounted;
import org.jspecify.annotations.Nullable;

/**
 * References that are dropped together. Operations that follow each other mostly use the same
 * resources, so one atomic change drops the references of many operations to a resource.
 *
 * <p>Not thread-safe.
 */
final class Releases implements Consumer<RefCounted> {
  /** How many different resources are kept; one more flushes them. */
  private static final int SIZE = 16;

  private final @Nullable RefCounted[] resources = new RefCounted[SIZE];
  private final int[] counts = new int[SIZE];
  private int size;

  /** Adds one reference. */
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

  /** Drops them all. */
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
