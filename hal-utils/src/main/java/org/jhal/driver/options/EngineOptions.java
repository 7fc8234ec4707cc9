// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.options;

import java.time.Duration;
import java.util.List;
import org.jhal.Device;
import org.jspecify.annotations.Nullable;

/** The options that every driver on this engine has (rule D5). */
public final class EngineOptions {
  private static final String OFF = "off";

  // A recording of all devices of a process, whatever their drivers.
  private static final String RECORD = "jhal.record";
  private static final String RECORD_VARIABLE = "JHAL_RECORD";

  private final Option<Long> queues;
  private final Option<Long> inflight =
      Option.integer(
          "inflight",
          512,
          1,
          1 << 16,
          "operations",
          "how many operations a stream holds at most before others wait on the host");
  private final Option<Duration> spin;
  private final Option<Duration> completionSpin;
  private final Option<Duration> closeTimeout =
      Option.duration(
          "close-timeout",
          Device.DEFAULT_CLOSE_TIMEOUT,
          Duration.ZERO,
          Duration.ofHours(1),
          "how long closing the device waits for work in flight");
  private final Option<Duration> abortTimeout =
      Option.duration(
          "abort-timeout",
          Duration.ofSeconds(5),
          Duration.ZERO,
          Duration.ofHours(1),
          "how long a collective that has failed may take to end, if close-timeout is not longer");
  private final Option<Long> hostCalls =
      Option.integer(
          "host-calls",
          4,
          1,
          64,
          "threads",
          "how many host calls run at the same time; one that is deferred does not count");
  private final Option<Long> copyThreads =
      Option.integer(
          "copy-threads",
          copyThreads(Runtime.getRuntime().availableProcessors()),
          1,
          64,
          "threads",
          "how many threads move memory of the host, for transfers and copies between devices");
  private final Option<String> peers =
      Option.choice(
          "peers",
          "memory",
          List.of("memory", "events", "none"),
          "what devices of the driver share if both agree: events only, or their memory, too");
  private final Option<String> leaks =
      Option.choice(
          "leaks",
          "report",
          List.of("report", "trace"),
          "whether the report of what was leaked says where it was made");
  private final Option<String> validate =
      Option.choice(
          "validate",
          "off",
          List.of("off", "hazards", "hazards,fail"),
          "whether operations that touch the same bytes without an order are reported, or fail");

  private final Option<String> record =
      Option.text(
          "record",
          OFF,
          "the file into which what the device does is recorded, for hal replay, or off");

  /**
   * The options with a driver's own defaults.
   *
   * @param queues the default number of queues of a device
   * @param spin by default, how long a host thread polls a native event before it parks
   * @param completionSpin by default, how long a completion thread polls before it sleeps
   */
  public EngineOptions(int queues, Duration spin, Duration completionSpin) {
    this.queues =
        Option.integer(
            "queues",
            queues,
            1,
            64,
            "queues",
            "how many queues, each with a stream of its own, a device has");
    this.spin =
        Option.duration(
            "spin",
            spin,
            Duration.ZERO,
            Duration.ofSeconds(1),
            "how long a host thread polls a native event before it parks");
    this.completionSpin =
        Option.duration(
            "completion-spin",
            completionSpin,
            Duration.ZERO,
            Duration.ofSeconds(1),
            "how long the thread that waits for a stream polls before it sleeps");
  }

  /** A few threads suffice for any device; the other processors are left to the program. */
  private static int copyThreads(int processors) {
    return Math.max(1, Math.min(processors / 4, 4));
  }

  /** All options, to be passed to {@link Settings#resolve}. */
  public List<Option<?>> all() {
    return List.of(
        queues,
        inflight,
        spin,
        completionSpin,
        closeTimeout,
        abortTimeout,
        hostCalls,
        copyThreads,
        peers,
        leaks,
        validate,
        record);
  }

  /** The configuration that these settings give. */
  public EngineConfig configure(Settings settings) {
    return new EngineConfig(
        settings.getInt(queues),
        settings.getInt(inflight),
        settings.get(spin).toNanos(),
        settings.get(completionSpin).toNanos(),
        settings.get(closeTimeout),
        settings.get(abortTimeout),
        settings.getInt(hostCalls),
        settings.getInt(copyThreads),
        !settings.get(peers).equals("none"),
        settings.get(peers).equals("memory"),
        settings.get(leaks).equals("trace"),
        !settings.get(validate).equals("off"),
        settings.get(validate).equals("hazards,fail"),
        recordsTo(
            settings.get(record), System.getProperty(RECORD), System.getenv(RECORD_VARIABLE)));
  }

  /** The first of these that is set, unless that is off. */
  static @Nullable String recordsTo(
      String option, @Nullable String property, @Nullable String variable) {
    String file = option;
    if (file.equals(OFF) && property != null && !property.isEmpty()) {
      file = property;
    } else if (file.equals(OFF) && variable != null && !variable.isEmpty()) {
      file = variable;
    }
    return file.equals(OFF) || file.isEmpty() ? null : file;
  }
}
