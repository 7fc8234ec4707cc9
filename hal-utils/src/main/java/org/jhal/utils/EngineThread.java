package org.jhal.utils;

import org.jspecify.annotations.Nullable;

/**
 * A thread that belongs to a device: named after it and its role, a daemon, and recognised by
 * {@link #isOf}.
 */
public final class EngineThread extends Thread {
  private final @Nullable Object domain;

  /**
   * A driver's own thread, not started. It may not close any device (rule Q8): a driver whose
   * threads may come to run what users wrote, such as a kernel, makes them with this.
   */
  public EngineThread(String name, Runnable body) {
    this(name, null, body);
  }

  /** A thread, not started, of the device whose token is {@code domain}. */
  EngineThread(String name, @Nullable Object domain, Runnable body) {
    super(null, body, name, 0, false);
    this.domain = domain;
    setDaemon(true);
  }

  /**
   * Whether the calling thread belongs to the device whose token is {@code domain}, or may do so.
   */
  static boolean isOf(Object domain) {
    return Thread.currentThread() instanceof EngineThread thread
        && (thread.domain == domain || thread.domain == null);
  }
}
