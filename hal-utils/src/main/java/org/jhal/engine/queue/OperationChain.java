// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import org.jspecify.annotations.Nullable;

/**
 * Operations in a row, by their own links: an operation is in one chain at a time.
 *
 * <p>Not thread-safe: its owner says what guards it.
 */
final class OperationChain<E> {
  private @Nullable Operation<E> first;
  private @Nullable Operation<E> last;

  void add(Operation<E> operation) {
    if (last == null) {
      first = operation;
    } else {
      last.next = operation;
    }
    last = operation;
  }

  boolean isEmpty() {
    return first == null;
  }

  /** The oldest operation, or null. */
  @Nullable Operation<E> first() {
    return first;
  }

  /** The newest operation, or null. */
  @Nullable Operation<E> last() {
    return last;
  }

  /** Removes the oldest operation, if there is any, and returns it. */
  @Nullable Operation<E> poll() {
    Operation<E> taken = first;
    if (taken != null) {
      first = taken.next;
      if (first == null) {
        last = null;
      }
      taken.next = null;
    }
    return taken;
  }

  /** Adds all operations of another chain, which is empty afterwards. */
  void addAll(OperationChain<E> others) {
    Operation<E> added = others.first;
    if (added == null) {
      return;
    }
    if (last == null) {
      first = added;
    } else {
      last.next = added;
    }
    last = others.last;
    others.first = null;
    others.last = null;
  }
}
