// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.options;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jhal.DeviceUri;
import org.jhal.HalException;
import org.jhal.Setting;
import org.jhal.Status;
import org.jhal.spi.Suggestion;
import org.jspecify.annotations.Nullable;

/**
 * The values of a driver's {@link Option}s and where each came from (rule D5). A value comes from
 * the device URI, else from the system property {@code jhal.DRIVER.NAME}, else from the environment
 * variable {@code JHAL_DRIVER_NAME} (upper case, underscores for dashes), else it is the default.
 * An empty property or variable counts as not set.
 *
 * <p>Immutable; any thread may use it.
 */
public final class Settings {
  private record Value<T>(Option<T> option, T value, String origin) {
    Setting setting() {
      return new Setting(option.name(), option.write(value), origin, option.description());
    }
  }

  private final Map<Option<?>, Value<?>> values;

  private Settings(Map<Option<?>, Value<?>> values) {
    this.values = values;
  }

  /**
   * Finds the value of each option.
   *
   * @param driver the driver's name
   * @param options all options of the driver, with different names
   * @throws HalException INVALID_ARGUMENT if the URI has an unknown option, with a list of the
   *     known ones; INVALID_ARGUMENT or OUT_OF_RANGE for a wrong value, with the option, the value,
   *     its origin and what is allowed
   */
  public static Settings resolve(String driver, List<? extends Option<?>> options, DeviceUri uri) {
    return resolve(driver, options, uri, System::getProperty, System::getenv);
  }

  static Settings resolve(
      String driver,
      List<? extends Option<?>> options,
      DeviceUri uri,
      Function<String, @Nullable String> properties,
      Function<String, @Nullable String> environment) {
    List<String> known = options.stream().<String>map(Option::name).toList();
    for (String name : uri.options().keySet()) {
      if (!known.contains(name)) {
        throw new HalException(
            Status.INVALID_ARGUMENT,
            "unknown option '%s' in '%s'%s; driver '%s' knows %s"
                .formatted(
                    name,
                    uri,
                    Suggestion.of(name, known),
                    driver,
                    known.isEmpty() ? "none" : String.join(", ", known)));
      }
    }
    Map<Option<?>, Value<?>> values = new LinkedHashMap<>();
    for (Option<?> option : options) {
      if (Collections.frequency(known, option.name()) > 1) {
        throw new HalException(
            Status.INVALID_ARGUMENT,
            "driver '" + driver + "' declares the option '" + option.name() + "' twice");
      }
      values.put(option, find(driver, option, uri, properties, environment));
    }
    return new Settings(values);
  }

  private static <T> Value<T> find(
      String driver,
      Option<T> option,
      DeviceUri uri,
      Function<String, @Nullable String> properties,
      Function<String, @Nullable String> environment) {
    String given = uri.options().get(option.name());
    if (given != null) {
      return new Value<>(option, option.read(given, "uri"), "uri");
    }
    String property = "jhal." + driver + "." + option.name();
    given = properties.apply(property);
    if (given != null && !given.isEmpty()) {
      String origin = "property " + property;
      return new Value<>(option, option.read(given, origin), origin);
    }
    String variable =
        ("JHAL_" + driver + "_" + option.name()).toUpperCase(Locale.ROOT).replace('-', '_');
    given = environment.apply(variable);
    if (given != null && !given.isEmpty()) {
      String origin = "environment " + variable;
      return new Value<>(option, option.read(given, origin), origin);
    }
    return new Value<>(option, option.defaultValue(), "default");
  }

  /**
   * The value of an option.
   *
   * @throws HalException INVALID_ARGUMENT if {@code option} was not among those resolved
   */
  @SuppressWarnings("unchecked") // resolve() puts a Value<T> under each Option<T>
  public <T> T get(Option<T> option) {
    return ((Value<T>) value(option)).value();
  }

  /**
   * Where the value of an option comes from, as {@link Setting#origin} says it.
   *
   * @throws HalException as {@link #get}
   */
  public String origin(Option<?> option) {
    return value(option).origin();
  }

  private Value<?> value(Option<?> option) {
    Value<?> value = values.get(option);
    if (value == null) {
      throw new HalException(
          Status.INVALID_ARGUMENT, "option '" + option + "' is not among " + values.keySet());
    }
    return value;
  }

  /**
   * The value of a number.
   *
   * @throws HalException as {@link #get}; OUT_OF_RANGE if it does not fit into an int
   */
  public int getInt(Option<Long> option) {
    long value = get(option);
    if (value != (int) value) {
      throw new HalException(
          Status.OUT_OF_RANGE, "option '" + option + "' is " + value + ", too large for an int");
    }
    return (int) value;
  }

  /** All settings, in the order of the options, for {@link org.jhal.Device#settings()}. */
  public List<Setting> toList() {
    List<Setting> list = new ArrayList<>();
    values.values().forEach(value -> list.add(value.setting()));
    return List.copyOf(list);
  }

  @Override
  public String toString() {
    return toList().toString();
  }
}
