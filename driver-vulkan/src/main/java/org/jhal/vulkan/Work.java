// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.util.List;

/**
 * What one submission hands to a native queue: waits, then perhaps a command buffer, then a signal.
 *
 * @param queue the native queue that it goes to
 * @param waits what must have happened before, on any queue
 * @param commands a VkCommandBuffer, or 0
 * @param signal what happens behind it
 */
record Work(NativeQueue queue, List<Point> waits, long commands, Point signal) {
  /**
   * A value of a timeline.
   *
   * @param queue the native queue whose work reaches it
   */
  record Point(Timeline timeline, long value, NativeQueue queue) {
    /** Whether it was reached; see {@link Timeline#isPast}. */
    boolean isPast() {
      return timeline.isPast(value);
    }

    /** Whether the work that reaches it is in its native queue. */
    boolean isSubmitted() {
      return timeline.isSubmitted(value);
    }
  }
}
