package org.jhal.engine.concurrent;

import org.jhal.driver.support.EngineThread;

/** A thread that belongs to one device, see {@link #isOf}. */
public final class DeviceThread extends EngineThread {
  private final Object domain;

  /** Creates a thread of the device whose token is {@code domain}. It is not started. */
  public DeviceThread(String name, Object domain, Runnable body) {
    super(name, body);
    this.domain = domain;
  }

  /**
   * Whether the calling thread belongs, or may belong, to the device whose token is {@code domain}.
   * A driver's own {@link EngineThread} does not say to which device it belongs, so it counts as
   * one of every device.
   */
  public static boolean isOf(Object domain) {
    Thread thread = Thread.currentThread();
    return thread instanceof DeviceThread own
        ? own.domain == domain
        : thread instanceof EngineThread;
  }
}
