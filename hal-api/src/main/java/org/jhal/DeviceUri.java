// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The name of a device: {@code DRIVER}, {@code DRIVER://SELECTOR}, {@code DRIVER://?OPTION=VALUE&…}
 * or {@code DRIVER://SELECTOR?OPTION=VALUE&…}. The selector is empty for the first device, or an
 * index from 0, a uuid, or {@code pci:DOMAIN:BUS:DEVICE.FUNCTION} (rule D3). Option values may be
 * percent-encoded. Immutable.
 *
 * @param driver the driver's name
 * @param selector selects the device; empty for the first
 * @param options the decoded values by name, in the order in which they were written
 */
public record DeviceUri(String driver, String selector, Map<String, String> options) {
  private static final Pattern FORM = Pattern.compile("([^:/?#]*)(?:://([^?#]*)(?:\\?([^#]*))?)?");

  /**
   * What people write in its place: other signs before the selector, or none before the options.
   */
  private static final Pattern LIKELY = Pattern.compile("([^:/?#]++)[:/]*+([^?#]*+)(\\?[^#]*+)?");

  /** The form of a driver's name. */
  static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]*");

  /** The form of a driver's name, for messages. */
  static final String NAME_RULE =
      "must be lower-case letters, digits and dashes, starting with a letter";

  /** Rejects null, and copies the map. */
  public DeviceUri {
    Objects.requireNonNull(driver, "driver");
    Objects.requireNonNull(selector, "selector");
    Objects.requireNonNull(options, "options");
    options = Collections.unmodifiableMap(new LinkedHashMap<>(options));
  }

  /**
   * Parses a URI. Neither the driver nor the device needs to exist.
   *
   * @throws HalException INVALID_ARGUMENT if it is malformed; the message gives the reason, and the
   *     URI that was probably meant
   */
  public static DeviceUri parse(String uri) {
    Objects.requireNonNull(uri, "uri");
    try {
      return parsed(uri);
    } catch (HalException e) {
      String meant = likely(uri);
      throw meant == null
          ? e
          : new HalException(e.status(), e.getMessage() + "; did you mean '" + meant + "'?");
    }
  }

  /** The well-formed URI that was probably meant; null if there is none. */
  private static @Nullable String likely(String uri) {
    Matcher form = LIKELY.matcher(uri);
    if (!form.matches()) {
      return null;
    }
    String options = Objects.requireNonNullElse(form.group(3), "");
    String rest = form.group(2) + options;
    String meant = form.group(1).toLowerCase(Locale.ROOT) + (rest.isEmpty() ? "" : "://" + rest);
    try {
      parsed(meant);
      return meant;
    } catch (HalException malformed) {
      return null;
    }
  }

  private static DeviceUri parsed(String uri) {
    Matcher form = FORM.matcher(uri);
    if (!form.matches()) {
      throw malformed(
          uri,
          "expected DRIVER, DRIVER://SELECTOR, DRIVER://?OPTION=VALUE&..."
              + " or DRIVER://SELECTOR?OPTION=VALUE&...");
    }
    String driver = form.group(1);
    if (!NAME.matcher(driver).matches()) {
      throw malformed(uri, "driver name '" + driver + "' " + NAME_RULE);
    }
    String selector = form.group(2) == null ? "" : form.group(2);
    Map<String, String> options = new LinkedHashMap<>();
    String query = form.group(3);
    if (query != null && !query.isEmpty()) {
      for (String pair : query.split("&", -1)) {
        int equals = pair.indexOf('=');
        if (equals <= 0) {
          throw malformed(uri, "option '" + pair + "' is not of the form NAME=VALUE");
        }
        String name = pair.substring(0, equals);
        if (options.put(name, decode(uri, pair.substring(equals + 1))) != null) {
          throw malformed(uri, "option '" + name + "' is given twice");
        }
      }
    }
    return new DeviceUri(driver, selector, options);
  }

  private static String decode(String uri, String value) {
    try {
      return URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw malformed(uri, "value '" + value + "' is not percent-encoded correctly");
    }
  }

  private static HalException malformed(String uri, String why) {
    return new HalException(Status.INVALID_ARGUMENT, "malformed device URI '" + uri + "': " + why);
  }

  private static String encode(String value) {
    return value.replace("%", "%25").replace("&", "%26").replace("#", "%23");
  }

  /** Returns the URI as text, which parses to an equal URI. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(driver);
    if (!selector.isEmpty() || !options.isEmpty()) {
      text.append("://").append(selector);
      char separator = '?';
      for (Map.Entry<String, String> option : options.entrySet()) {
        text.append(separator)
            .append(option.getKey())
            .append('=')
            .append(encode(option.getValue()));
        separator = '&';
      }
    }
    return text.toString();
  }
}
