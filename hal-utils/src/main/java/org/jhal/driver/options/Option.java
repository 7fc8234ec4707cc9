// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.options;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jhal.HalException;
import org.jhal.Status;

/**
 * An option of a driver: its name, the values that it takes, and its default. {@link
 * Settings#resolve} finds the value.
 *
 * <p>Immutable; any thread may use it.
 *
 * @param <T> the type of a value
 */
public final class Option<T> {
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9]*(-[a-z0-9]+)*");
  private static final Pattern INTEGER = Pattern.compile("(-?[0-9]+)");
  private static final Pattern SIZE = Pattern.compile("(-?[0-9]+)([kmgKMG]?)");
  private static final Pattern DURATION = Pattern.compile("(-?[0-9]+)(ns|us|ms|s)");

  private static final String OFF = "off";
  private static final String ALL = "all";
  private static final String SUFFIXES = ", in bytes or with the suffix k, m or g";

  private final String name;
  private final T defaultValue;
  private final String rule; // the allowed values, for people: "it must be ..."
  private final String description;
  private final Function<String, T> reader; // throws HalException without the name of the option
  private final Function<T, String> writer;

  private Option(
      String name,
      T defaultValue,
      String rule,
      String description,
      Function<String, T> reader,
      Function<T, String> writer) {
    if (!NAME.matcher(name).matches()) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "option name '" + name + "'; it must be lower-case words with dashes between them");
    }
    this.name = name;
    this.defaultValue = defaultValue;
    this.rule = rule;
    this.description = Objects.requireNonNull(description, "description");
    this.reader = reader;
    this.writer = writer;
    read(write(defaultValue), "the default"); // users must be able to give the default
  }

  /**
   * A whole number in {@code [min, max]}.
   *
   * @param unit the unit, for people; may be empty
   */
  public static Option<Long> integer(
      String name, long defaultValue, long min, long max, String unit, String description) {
    String rule =
        "a whole number" + (unit.isEmpty() ? "" : " of " + unit) + " from " + min + " to " + max;
    return new Option<>(
        name,
        defaultValue,
        rule,
        description,
        text -> inRange(scaled(INTEGER.matcher(text)), min, max),
        String::valueOf);
  }

  /** A size in {@code [min, max]} bytes, written as {@code 4096}, {@code 64k}, {@code 256m}. */
  public static Option<Long> bytes(
      String name, long defaultValue, long min, long max, String description) {
    return new Option<>(
        name,
        defaultValue,
        "a size from " + sizeText(min) + " to " + sizeText(max) + SUFFIXES,
        description,
        text -> inRange(scaled(SIZE.matcher(text)), min, max),
        Option::sizeText);
  }

  /**
   * A limit in bytes, written as {@link #bytes}, or {@code all}, which is the default and gives
   * {@link Long#MAX_VALUE}.
   */
  public static Option<Long> bytesOrAll(String name, String description) {
    return new Option<>(
        name,
        Long.MAX_VALUE,
        ALL + ", or a size of at least 0" + SUFFIXES,
        description,
        text ->
            text.equals(ALL)
                ? Long.MAX_VALUE
                : inRange(scaled(SIZE.matcher(text)), 0, Long.MAX_VALUE),
        bytes -> bytes == Long.MAX_VALUE ? ALL : sizeText(bytes));
  }

  /** A time in {@code [min, max]}, written with its unit: {@code 250us}, {@code 10s}. */
  public static Option<Duration> duration(
      String name, Duration defaultValue, Duration min, Duration max, String description) {
    String rule =
        "a time from " + timeText(min) + " to " + timeText(max) + ", with the unit ns, us, ms or s";
    return new Option<>(
        name,
        defaultValue,
        rule,
        description,
        text ->
            Duration.ofNanos(inRange(scaled(DURATION.matcher(text)), min.toNanos(), max.toNanos())),
        Option::timeText);
  }

  /** One of some words. */
  public static Option<String> choice(
      String name, String defaultValue, List<String> allowed, String description) {
    List<String> words = List.copyOf(allowed);
    return new Option<>(
        name,
        defaultValue,
        "one of " + String.join(", ", words),
        description,
        text -> {
          if (!words.contains(text)) {
            throw new HalException(Status.INVALID_ARGUMENT, text);
          }
          return text;
        },
        text -> text);
  }

  /** The absolute path of a folder, which need not exist, or {@code off}, which gives none. */
  public static Option<Optional<Path>> folder(
      String name, Optional<Path> defaultValue, String description) {
    return new Option<>(
        name,
        defaultValue,
        "the absolute path of a folder, or off",
        description,
        text -> text.equals(OFF) ? Optional.empty() : Optional.of(absolute(text)),
        folder -> folder.map(Path::toString).orElse(OFF));
  }

  private static Path absolute(String text) {
    try {
      Path path = Path.of(text);
      if (path.isAbsolute()) {
        return path;
      }
    } catch (InvalidPathException e) {
      throw new HalException(Status.INVALID_ARGUMENT, "no path", e);
    }
    throw new HalException(Status.INVALID_ARGUMENT, "not absolute");
  }

  /** Any text. */
  public static Option<String> text(String name, String defaultValue, String description) {
    return new Option<>(name, defaultValue, "a text", description, text -> text, text -> text);
  }

  /** The option's name, as it appears in device URIs. */
  public String name() {
    return name;
  }

  /** The value unless it is set. */
  public T defaultValue() {
    return defaultValue;
  }

  /** One line for people: what the option does, and which values it takes. */
  public String description() {
    return description + "; " + rule;
  }

  /**
   * Parses a value.
   *
   * @param origin where the value comes from, for the message
   * @throws HalException INVALID_ARGUMENT for a wrong form, OUT_OF_RANGE beyond the limits
   */
  T read(String text, String origin) {
    try {
      return reader.apply(text);
    } catch (HalException e) {
      throw new HalException(
          e.status(),
          "option '" + name + "' is '" + text + "' (from " + origin + "); it must be " + rule,
          e);
    }
  }

  /** Formats a value so that {@link #read} can parse it; equal values give equal texts. */
  String write(T value) {
    return writer.apply(value);
  }

  /** The number that {@code form} matches, times its unit if there is one. */
  private static long scaled(Matcher form) {
    if (!form.matches()) {
      throw new HalException(Status.INVALID_ARGUMENT, "wrong form");
    }
    long factor = form.groupCount() < 2 ? 1 : factor(form.group(2));
    try {
      return Math.multiplyExact(Long.parseLong(form.group(1)), factor);
    } catch (NumberFormatException | ArithmeticException e) {
      throw new HalException(Status.OUT_OF_RANGE, "does not fit into 64 bits", e);
    }
  }

  private static long factor(String unit) {
    return switch (unit.toLowerCase(Locale.ROOT)) {
      case "k" -> 1L << 10;
      case "m" -> 1L << 20;
      case "g" -> 1L << 30;
      case "us" -> 1_000;
      case "ms" -> 1_000_000;
      case "s" -> 1_000_000_000;
      default -> 1; // bytes, or nanoseconds
    };
  }

  private static long inRange(long value, long min, long max) {
    if (value < min || value > max) {
      throw new HalException(Status.OUT_OF_RANGE, "beyond the limits");
    }
    return value;
  }

  private static String sizeText(long bytes) {
    return withUnit(bytes, "", List.of("g", "m", "k"));
  }

  private static String timeText(Duration time) {
    return withUnit(time.toNanos(), "ns", List.of("s", "ms", "us"));
  }

  /** Formats with the largest of {@code units} that gives a whole number. */
  private static String withUnit(long value, String smallest, List<String> units) {
    for (String unit : units) {
      if (value != 0 && value % factor(unit) == 0) {
        return value / factor(unit) + unit;
      }
    }
    return value + smallest;
  }

  @Override
  public String toString() {
    return name;
  }
}
