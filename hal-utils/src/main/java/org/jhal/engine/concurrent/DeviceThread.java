package org.jhal.engine.concurrent;

import org.jhal.driver.support.EngineThread;

/** A thread that belongs to one device, and is recognised by {@link #isOf}. */
public final class DeviceThread extends EngineThread {
  private final Object domain;

  /** A thread, not started, of the device whose token is {@code domain}. */
  public DeviceThread(String name, Object domain, Runnable body) {
    super(name, body);
    this.domain = domain;
  }

  /**
   * Whether the calling thread belongs to the device whose token is {@code domain}, or may do so: a
   * driver's own thread does not tell.
   */
  public static boolean isOf(Object domain) {
    Thread thread = Thread.currentThread();
    return thread instanceof DeviceThread own
        ? own.domain == domain
        : thread instanceof EngineThread;
  }
}
