// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.support;

import java.util.Arrays;
import org.jhal.Device;
import org.jhal.Setting;
import org.jspecify.annotations.Nullable;

/** The option {@code peers}: what a device shares with others of its driver (rule S9a). */
public final class Peers {
  /** Why a test that sets the option is skipped. */
  public static final String UNSUPPORTED = "the driver has no option peers";

  private static final String NAME = "peers";

  private Peers() {}

  /** What {@code device} shares, or null if its driver does not have this option. */
  public static @Nullable String of(Device device) {
    return device.settings().stream()
        .filter(setting -> setting.name().equals(NAME))
        .map(Setting::value)
        .findFirst()
        .orElse(null);
  }

  /**
   * Options with {@code peers=shared}. The test is unsupported if the driver does not have the
   * option.
   */
  public static String[] options(Cts cts, String shared, String... further) {
    if (of(cts.device()) == null) {
      throw Cts.unsupported(UNSUPPORTED);
    }
    return append(further, NAME + "=" + shared);
  }

  /**
   * Opens the device under test once more, for this test alone, so that it shares nothing: copies
   * between it and other devices go through the host.
   */
  public static Device openAlone(Cts cts, String... options) {
    return of(cts.device()) == null
        ? cts.open(options) // every driver whose devices share something has the option
        : cts.open(append(options, NAME + "=none"));
  }

  private static String[] append(String[] options, String last) {
    String[] all = Arrays.copyOf(options, options.length + 1);
    all[options.length] = last;
    return all;
  }
}
