package org.jhal.driver;

/** How a device is made current on a thread, for native runtimes that need it. */
public interface ThreadBinding {
  /**
   * Makes the device current on the calling thread; returns what {@link #unbindFromThread} needs to
   * undo that.
   */
  default long bindToThread() {
    return 0;
  }

  /** Restores what was current before {@link #bindToThread()}. */
  default void unbindFromThread(long token) {}
}
