package org.jhal.engine.queue;

import java.util.Arrays;
import java.util.function.Consumer;
import org.jhal.engine.concurrent.RefCounted;
import org.jspecify.annotations.Nullable;

/**
 * References that are to be dropped together. Operations that follow each other mostly use the same
 * resources, and their counts are what the thread that enqueues changes too: so each is changed
 * once for many operations.
 *
 * <p>For one thread at a time.
 */
final class Releases implements Consumer<RefCounted> {
  /**
   * How many different resources are looked for; with more, references are dropped in between, and
   * those that may not be dropped now are kept one by one.
   */
  private static final int SIZE = 16;

  private @Nullable RefCounted[] resources = new RefCounted[SIZE];
  private int[] counts = new int[SIZE];
  private int size;
  private boolean isQuiet;

  /**
   * Whether nothing may end, but what {@link RefCounted#endsQuietly}, until this is called again.
   */
  void setQuiet(boolean quiet) {
    isQuiet = quiet;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** Adds one reference. */
  @Override
  public void accept(RefCounted resource) {
    for (int i = 0; i < Math.min(size, SIZE); i++) {
      if (resources[i] == resource) {
        counts[i]++;
        return;
      }
    }
    if (size == SIZE) {
      if (isQuiet) {
        boolean ignored = flushQuietly();
      } else {
        flush();
      }
    }
    if (size == resources.length) {
      resources = Arrays.copyOf(resources, 2 * size);
      counts = Arrays.copyOf(counts, 2 * size);
    }
    resources[size] = resource;
    counts[size++] = 1;
  }

  /** Drops them. Never throws: what a driver or a user throws there is logged there. */
  void flush() {
    RefCounted[] dropped = resources;
    int count = size;
    size = 0;
    if (dropped.length > SIZE) {
      resources = new RefCounted[SIZE];
    }
    for (int i = 0; i < count; i++) {
      RefCounted resource = dropped[i];
      dropped[i] = null;
      if (resource != null) {
        resource.release(counts[i]);
      }
    }
  }

  /** Drops those with which nothing ends that a user may see; returns whether these were all. */
  boolean flushQuietly() {
    int count = size;
    size = 0;
    for (int i = 0; i < count; i++) {
      RefCounted resource = resources[i];
      resources[i] = null;
      if (resource != null && !resource.releaseQuietly(counts[i])) {
        resources[size] = resource;
        counts[size++] = counts[i];
      }
    }
    return size == 0;
  }
}
