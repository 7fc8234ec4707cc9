// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.top;

import javax.management.openmbean.CompositeData;
import org.jspecify.annotations.Nullable;

/**
 * An open device of the watched process at one moment, as an element of the attribute {@code
 * Devices} of its MBean. The process may have another version of JHAL: what it does not report is 0
 * or empty.
 *
 * @param key tells the device from others of the process
 * @param name the name of the device, such as {@code cuda-0}
 */
record DeviceSample(String key, String name, CompositeData data) {
  /** Returns the item of this name, or 0 if there is none. */
  long number(String item) {
    return data.containsKey(item) && data.get(item) instanceof Number number
        ? number.longValue()
        : 0;
  }

  /** Returns the item of this name without control characters; empty if there is none. */
  String text(String item) {
    return text(data, item);
  }

  static String text(CompositeData data, String item) {
    return data.containsKey(item) && data.get(item) instanceof String text
        ? text.replaceAll("\\s*\\R\\s*", "; ").replaceAll("\\p{Cntrl}", "?")
        : "";
  }

  /**
   * Returns by how much an item has grown since {@code before}, for each second, or null if that is
   * not known: there is no such sample, or the device was opened anew.
   */
  @Nullable Double rate(String item, @Nullable DeviceSample before, double seconds) {
    long grown = before == null ? -1 : number(item) - before.number(item);
    return grown < 0 || seconds <= 0 ? null : grown / seconds;
  }
}
