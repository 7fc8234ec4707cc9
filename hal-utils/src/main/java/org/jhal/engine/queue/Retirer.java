// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import org.jhal.driver.support.Attempt;

/**
 * Retires operations that have their outcome: makes them DONE, releases what they held, and takes
 * them off the list of open ones.
 *
 * <p>A queue has two, which may work at the same time: one for the completion thread, and for the
 * thread that closes the queue once that has ended; and one for the {@link Deputy}. Used by one
 * thread at a time.
 */
final class Retirer<E> {
  /** How many operations are retired at most before their resources are released. */
  private static final int BATCH = 32;

  private final Retiring<E> shared;
  private final OpenList<E> open;

  private final OperationChain<E> taken = new OperationChain<>();

  // Retired operations for the next remove(), and what they held.
  private final OperationChain<E> retired = new OperationChain<>();
  private final Releases releases = new Releases();

  Retirer(Retiring<E> shared, OpenList<E> open) {
    this.shared = shared;
    this.open = open;
  }

  /**
   * Retires what other threads have settled. Returns whether any operation has retired since the
   * last {@link #remove}.
   */
  boolean retireSettled() {
    shared.take(taken);
    int count = 0;
    for (Operation<E> next = taken.poll(); next != null; next = taken.poll()) {
      retire(next);
      if (++count % BATCH == 0) {
        release();
        remove();
      }
    }
    return !retired.isEmpty();
  }

  /** Retires what was kept, while the device is being closed. */
  void retireKept() {
    open.keepHalfDone();
    for (Operation<E> operation : open.all()) {
      if (operation.isKept) {
        Throwable thrown = Attempt.of(() -> retire(operation));
        if (thrown != null) {
          shared.logUnreleased(operation, thrown);
        }
      }
    }
    release();
    remove();
  }

  /** Releases what the retired operations held. */
  void release() {
    releases.flush();
  }

  /** Takes the retired operations off the list of open ones. */
  void remove() {
    if (!retired.isEmpty()) {
      open.remove(retired);
      while (retired.poll() != null) {
        continue;
      }
    }
  }

  /** Retires an operation that has its outcome; {@link #remove} takes it off the list. */
  void retire(Operation<E> operation) {
    if (shared.setDone(operation)) {
      OpenList.dropEvent(operation);
      retired.add(operation); // first: an error behind this loses the device, not the operation
      shared.letGo(operation, releases);
    }
  }
}
