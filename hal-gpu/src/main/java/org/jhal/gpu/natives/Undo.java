// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.natives;

import java.util.function.Supplier;

/** Releases what was made if a later step of the making fails. */
public final class Undo {
  private Undo() {}

  /**
   * Takes a step and returns its result. Whatever the step throws is passed on, after {@code undo}
   * has released what was made before the step.
   */
  public static <T> T onFailure(Supplier<T> step, Runnable undo) {
    boolean isDone = false;
    try {
      T made = step.get();
      isDone = true;
      return made;
    } finally {
      if (!isDone) {
        undo.run();
      }
    }
  }
}
