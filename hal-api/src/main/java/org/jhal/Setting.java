// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.util.Objects;

/**
 * A setting of an open device, and where its value comes from (rule D5). Immutable.
 *
 * @param name as written in a device URI
 * @param value the value in force
 * @param origin where the value comes from: {@code uri}, {@code property jhal.…}, {@code
 *     environment JHAL_…} or {@code default}
 * @param description one line for users, with the unit and the range
 */
public record Setting(String name, String value, String origin, String description) {
  /** Rejects null. */
  public Setting {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(value, "value");
    Objects.requireNonNull(origin, "origin");
    Objects.requireNonNull(description, "description");
  }
}
