// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jhal.Device;
import org.jhal.DeviceUri;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.Setting;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of cases.
 *
 * @param uri of the device
 * @param device to measure
 * @param kernels a bundle with the kernel of the cases instead of that of the benchmarks, or null
 * @param max the largest number of submissions in a sample
 * @param shared objects that cases share; its creator closes it
 * @param peer the same for a second device, which the first is compared with; null if there is none
 */
public record Bench(
    String uri,
    Device device,
    @Nullable ExecutableSource kernels,
    int max,
    Shared shared,
    @Nullable Bench peer) {
  /** How long anything may take before it counts as hung. */
  public static final Duration DEADLINE = Duration.ofMinutes(5);

  private static final int[] SIZES = {1_000, 16_000, 256_000, 1_000_000};
  private static final int SAMPLE = 256_000;
  private static final Pattern TIME = Pattern.compile("([0-9]+)(ns|us|ms|s)");

  /** For one device, with the kernels that there are. */
  public Bench(String uri, Device device, int max, Shared shared) {
    this(uri, device, null, max, shared, null);
  }

  /** The numbers of submissions for cases that scale: at least one, none above the maximum. */
  public List<Integer> sizes() {
    return sizes(SIZES);
  }

  /** Those of {@code wanted} that are not above the maximum; the maximum if all are. */
  public List<Integer> sizes(int... wanted) {
    List<Integer> sizes = new ArrayList<>();
    for (int size : wanted) {
      if (size <= max) {
        sizes.add(size);
      }
    }
    return sizes.isEmpty() ? List.of(max) : sizes;
  }

  /**
   * How often a sample repeats work of {@code size} submissions, so that a small size does not make
   * a short sample.
   */
  public int repeats(int size) {
    return Math.max(1, Math.min(max, SAMPLE) / size);
  }

  /** The steps of a sample without a size: {@code wanted}, but at most {@code max}. */
  public int steps(int wanted) {
    return Math.min(wanted, max);
  }

  /**
   * Loads kernels of a case.
   *
   * @throws NotAvailableException if the device can load none of their formats
   */
  public static Executable load(Device device, ExecutableSource kernels)
      throws NotAvailableException {
    try {
      return device.loadExecutable(kernels);
    } catch (HalException e) {
      if (e.status() != Status.UNIMPLEMENTED) {
        throw e;
      }
      throw new NotAvailableException(String.valueOf(e.getMessage()));
    }
  }

  /**
   * The same device, opened with another setting {@code spin}, such as {@code "0ns"}: how long a
   * host thread polls before it parks. It is shared, and not to be closed.
   *
   * @throws org.jhal.HalException as {@link Hal#openDevice} does
   */
  public Device deviceThatSpins(String spin) {
    return deviceWith(Map.of("spin", spin));
  }

  /**
   * The same device, opened with other settings. It is shared, and not to be closed.
   *
   * @param settings by name; those that are not among them stay as they are
   * @throws org.jhal.HalException as {@link Hal#openDevice} does
   */
  public Device deviceWith(Map<String, String> settings) {
    DeviceUri parsed = DeviceUri.parse(uri);
    Map<String, String> options = new LinkedHashMap<>(parsed.options());
    options.putAll(new TreeMap<>(settings)); // in an order that names the same device the same
    String other = new DeviceUri(parsed.driver(), parsed.selector(), options).toString();
    return shared.get(other, Device.class, () -> Hal.openDevice(other));
  }

  /** Whether the device has a setting of this name, which {@link #deviceWith} may change. */
  public boolean hasSetting(String name) {
    return device.settings().stream().anyMatch(setting -> setting.name().equals(name));
  }

  /**
   * How long a host thread polls for device work before it parks. Baselines do the same. A driver
   * that does not report it is assumed not to poll.
   */
  public long spinNanos() {
    for (Setting setting : device.settings()) {
      Matcher time = TIME.matcher(setting.value());
      if (setting.name().equals("spin") && time.matches()) {
        long unit =
            switch (time.group(2)) {
              case "us" -> 1_000;
              case "ms" -> 1_000_000;
              case "s" -> 1_000_000_000;
              default -> 1;
            };
        return Long.parseLong(time.group(1)) * unit;
      }
    }
    return 0;
  }
}
