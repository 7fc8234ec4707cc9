// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.timeline;

import org.jspecify.annotations.Nullable;

/**
 * An error that has ended a step of one queue half-way, such as a StackOverflowError, which any
 * line may throw. From then on no thread issues, and the issue thread loses the device.
 */
public final class Broken {
  /**
   * The latest error, or null. Written by the thread that caught it, by a plain assignment: there
   * may be no stack left for a call. The issue thread looks at it once a second even if it is not
   * woken.
   */
  public volatile @Nullable Throwable by;
}
