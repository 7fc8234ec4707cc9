package org.jhal.driver.support;

import org.jspecify.annotations.Nullable;

/** Calls what may fail in any way, where the caller goes on all the same. */
public final class Attempt {
  /** What may throw anything. */
  @FunctionalInterface
  public interface Body {
    /** Does it. */
    void run() throws Throwable;
  }

  private Attempt() {}

  /**
   * Calls {@code body}. Where the stack may be short, it is an object that exists: a lambda that is
   * linked for the first time while the stack runs out never works again.
   *
   * @return what it has thrown, or null
   */
  public static @Nullable Throwable of(Runnable body) {
    try {
      body.run();
      return null;
    } catch (Throwable t) {
      return t;
    }
  }

  /** As {@link #of}. */
  public static @Nullable Throwable ofThrowing(Body body) {
    try {
      body.run();
      return null;
    } catch (Throwable t) {
      return t;
    }
  }
}
