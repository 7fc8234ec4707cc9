// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import com.sun.jna.Function;
import com.sun.jna.Pointer;
import java.util.Set;
import org.jhal.driver.Submission;
import org.jhal.vulkan.jna.Structs;
import org.jhal.vulkan.jna.VulkanConstants;
import org.jspecify.annotations.Nullable;

/**
 * Maps timestamps of a device to {@link System#nanoTime}. Both clocks are read together by
 * VK_EXT_calibrated_timestamps, again and again, as they run apart.
 *
 * <p>Thread-safe.
 */
final class DeviceTimes {
  /** The extension that reads several clocks at once. */
  static final String EXTENSION = "VK_EXT_calibrated_timestamps";

  /** How long one reading of the clocks is used, in nanoseconds. */
  private static final long INTERVAL_NANOS = 20_000_000;

  /** The error bound of the rate of the device's clock. Crystals are far better. */
  private static final double RATE_ERROR = 1e-3;

  private static final int CLOCKS = 2;
  private static final int INFO_BYTES = 24; // sizeof(VkCalibratedTimestampInfoEXT)

  /** A moment at which both clocks are known; times in nanoseconds, ticks of the device. */
  private record Reading(long host, long ticks, double error) {}

  /** Takes when work ran; see {@link Submission#ranOnDevice}. */
  interface Report {
    void ran(long begin, long end, long error);
  }

  private final LogicalDevice device;
  private final int bits;
  private final double tickNanos;
  private volatile @Nullable Reading latest;

  /** For a device that {@linkplain #obstacle can be measured}. */
  DeviceTimes(LogicalDevice device) {
    this.device = device;
    this.bits = device.physical().family().timestampBits();
    this.tickNanos = device.physical().limits().tickNanos();
  }

  /** Why times of a device cannot be measured; null if they can. */
  static @Nullable String obstacle(QueueFamily family, Set<String> extensions) {
    if (family.timestampBits() == 0) {
      return "its queues have no timestamps";
    }
    return extensions.contains(EXTENSION) ? null : "it lacks " + EXTENSION;
  }

  /** Likewise. */
  static @Nullable String obstacle(PhysicalDevice physical) {
    return obstacle(physical.family(), physical.extensions());
  }

  /**
   * Reports when work ran.
   *
   * @param begin the timestamp in front of it
   * @param end that behind it
   */
  void report(long begin, long end, Report to) {
    Reading known = latest;
    if (known == null || System.nanoTime() - known.host > INTERVAL_NANOS) {
      known = read();
      latest = known;
    }
    double from = nanos(begin - known.ticks);
    double took = nanos(end - begin);
    double farthest = Math.max(Math.abs(from), Math.abs(from + took));
    to.ran(
        known.host + Math.round(from),
        known.host + Math.round(from + took),
        (long) Math.ceil(known.error + tickNanos + farthest * RATE_ERROR));
  }

  /** The time of a difference of timestamps, of which the upper bits may be missing. */
  private double nanos(long ticks) {
    int missing = Long.SIZE - bits;
    return (ticks << missing >> missing) * tickNanos;
  }

  private Reading read() {
    try (Structs structs = new Structs()) {
      Structs.Struct infos = structs.zeros(CLOCKS * INFO_BYTES);
      int[] domains = {
        VulkanConstants.VK_TIME_DOMAIN_DEVICE_EXT,
        VulkanConstants.VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT
      };
      for (int i = 0; i < CLOCKS; i++) {
        infos
            .bytes()
            .putInt(i * INFO_BYTES, VulkanConstants.VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT)
            .putInt(i * INFO_BYTES + 16, domains[i]);
      }
      Structs.Struct read = structs.zeros((CLOCKS + 1) * Long.BYTES); // and the deviation
      Function function =
          Function.getFunction(
              new Pointer(
                  LogicalDevice.setup()
                      .getDeviceProcAddr(device.handle(), "vkGetCalibratedTimestampsEXT")));
      long before = System.nanoTime();
      int code =
          function.invokeInt(
              new Object[] {
                device.handle(),
                CLOCKS,
                infos.address(),
                read.address(),
                read.address() + CLOCKS * Long.BYTES
              });
      long after = System.nanoTime();
      device.check("getCalibratedTimestampsEXT", code);
      long host = read.int64At(Long.BYTES);
      boolean isJavas = host - before >= 0 && after - host >= 0; // on Linux it is the same clock
      return new Reading(
          isJavas ? host : before + (after - before) / 2,
          read.int64At(0),
          isJavas ? read.int64At(CLOCKS * Long.BYTES) : (after - before) / 2.0);
    }
  }
}
