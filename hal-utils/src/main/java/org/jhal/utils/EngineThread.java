package org.jhal.utils;

import org.jspecify.annotations.Nullable;

/**
 * A thread that belongs to a device: named after it and its role, a daemon, and recognised by
 * {@link #isOf}.
 */
public final class EngineThread extends Thread {
  private final @Nullable Object domain;

  /** A thread, not started, for the device whose token is {@code domain}. */
  public EngineThread(String name, @Nullable Object domain, Runnable body) {
    super(null, body, name, 0, false);
    this.domain = domain;
    setDaemon(true);
  }

  /** Whether the calling thread belongs to the device whose token is {@code domain}. */
  static boolean isOf(Object domain) {
    return Thread.currentThread() instanceof EngineThread thread && thread.domain == domain;
  }
}
