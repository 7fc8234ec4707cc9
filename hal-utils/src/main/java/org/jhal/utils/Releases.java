package org.jhal.utils;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * References that are to be dropped together. Operations that follow each other mostly use the same
 * resources, and their counts are what the thread that enqueues changes too: so each is changed
 * once for many operations.
 *
 * <p>For one thread.
 */
final class Releases implements Consumer<RefCounted> {
  private static final int SIZE = 16; // different resources; more make it flush in between

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

  /** Drops them. Never throws: what a driver or a user throws there is logged there. */
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
