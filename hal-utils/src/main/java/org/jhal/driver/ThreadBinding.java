// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver;

/** How a device is made current on a thread, for native runtimes that need it. */
public interface ThreadBinding {
  /**
   * Makes the device current on the calling thread, which is never a virtual one.
   *
   * @return a token that {@link #unbindFromThread} needs to undo this
   */
  default long bindToThread() {
    return 0;
  }

  /** Restores what was current before {@link #bindToThread()}; called on the same thread. */
  default void unbindFromThread(long token) {}
}
