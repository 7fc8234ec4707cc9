// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

/** An event of a stream: the value of its timeline that was recorded last. Thread-safe. */
final class VulkanEvent {
  private final CommandStream stream;
  private volatile long value;

  VulkanEvent(CommandStream stream) {
    this.stream = stream;
  }

  /** Records it: it fires when the stream reaches a value. */
  void record(long newValue) {
    value = newValue;
  }

  /** The latest recording. */
  Work.Point latest() {
    return new Work.Point(stream.timeline(), value, stream.queue());
  }

  boolean hasFired() {
    return stream.timeline().isPast(value);
  }

  void await() {
    stream.timeline().await(value);
  }
}
