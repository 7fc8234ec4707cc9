// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.List;
import org.jhal.driver.options.Option;

/**
 * The driver's own kernel, {@code src/main/glsl/copy.comp}, which copies memory in pieces of 16
 * bytes. Its pipelines are made when they are first needed.
 *
 * <p>Thread-safe.
 */
final class CopyKernels {
  /** What is copied by the kernel, and what by the runtime's own command. */
  static final Option<String> OPTION =
      Option.choice(
          "copies",
          "auto",
          List.of("auto", "kernel", "runtime"),
          "what copies memory: a kernel of the driver, the runtime's own commands, or"
              + " auto: the kernel if the range is large, and the device is hardware");

  /** The bytes of a chunk, to a multiple of which its target is aligned. */
  static final int CHUNK_BYTES = 16;

  private static final int GROUP_ITEMS = 256;

  /** How many chunks a workgroup has: 4 for each work item. */
  static final int GROUP_CHUNKS = 4 * GROUP_ITEMS;

  /** How many chunks one dispatch has at most; every device has so many workgroups. */
  static final int MOST_CHUNKS = 65_535 * GROUP_CHUNKS;

  /** From this size on the kernel is faster on an H200. */
  private static final long LARGE_BYTES = 64 << 10;

  /** What the kernel does, in the order of its numbers for that. */
  enum Kind {
    /** Copies from a multiple of 16 bytes. */
    COPY,
    /** Copies from any address. */
    SHIFT
  }

  private final LogicalDevice device;

  @GuardedBy("this")
  private final long[] pipelines = new long[Kind.values().length]; // 0 where there is none yet

  CopyKernels(LogicalDevice device) {
    this.device = device;
  }

  /**
   * From how many bytes on copies of a device are work of the kernel: never, if its workgroups are
   * smaller than the kernel's.
   */
  static long leastBytes(String option, PhysicalDevice physical) {
    if (physical.limits().items() < GROUP_ITEMS) {
      return Long.MAX_VALUE;
    }
    return switch (option) {
      case "kernel" -> CHUNK_BYTES;
      case "runtime" -> Long.MAX_VALUE;
      default -> physical.computesOnHost() ? Long.MAX_VALUE : LARGE_BYTES;
    };
  }

  /** The VkPipeline for a kind; its push constants are as the source says. */
  synchronized long pipeline(Kind kind) {
    if (pipelines[kind.ordinal()] == 0) {
      pipelines[kind.ordinal()] = Pipelines.own(device, "copy.spv", kind.ordinal());
    }
    return pipelines[kind.ordinal()];
  }

  /** Destroys everything, when the device is idle or lost. */
  synchronized void close() {
    for (long pipeline : pipelines) {
      if (pipeline != 0) {
        LogicalDevice.setup().destroyPipeline(device.handle(), pipeline, 0);
      }
    }
  }
}
