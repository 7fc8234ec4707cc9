// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.options;

import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.regex.Pattern;
import org.jhal.DeviceInfo;
import org.jhal.DeviceUri;
import org.jhal.HalException;
import org.jhal.Status;

/** Finds the device that a URI selects, by index, uuid or PCI address (rule D3). */
final class DeviceSelector {
  private static final Pattern INDEX = Pattern.compile("[0-9]{1,10}");
  private static final String PCI = "pci:";
  private static final Pattern PCI_SELECTOR =
      Pattern.compile(PCI + "[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7]");

  /** A word before the actual uuid, with a letter beyond f, unlike hexadecimal digits. */
  private static final Pattern UUID_PREFIX = Pattern.compile("^[a-z]*[g-z][a-z]*-");

  private static final Pattern UUID = Pattern.compile("([0-9a-f]-?){8,}");

  private DeviceSelector() {}

  /** For {@link ConfiguredDriver#select}. The devices are in the order of their indices. */
  static DeviceInfo select(DeviceUri uri, List<DeviceInfo> devices) {
    String selector = uri.selector().toLowerCase(Locale.ROOT);
    if (devices.isEmpty()) {
      throw new HalException(
          Status.NOT_FOUND, "no device '" + uri + "': driver '" + uri.driver() + "' has none");
    }
    if (selector.isEmpty()) {
      return devices.get(0);
    }
    for (DeviceInfo device : devices) {
      if (isUuidOf(selector, device)
          || isIndexOf(selector, device)
          || isAddressOf(selector, device)) {
        return device;
      }
    }
    boolean isIndex = INDEX.matcher(selector).matches();
    if (!isIndex
        && !PCI_SELECTOR.matcher(selector).matches()
        && !UUID.matcher(withoutPrefix(selector)).matches()) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          ("selector '%s' in '%s' is neither an index from 0, a uuid nor"
                  + " pci:DOMAIN:BUS:DEVICE.FUNCTION (hexadecimal); %s")
              .formatted(uri.selector(), uri, describe(uri, devices)));
    }
    String which = isIndex ? "': index " + Long.parseLong(selector) + ", but " : "'; ";
    throw new HalException(Status.NOT_FOUND, "no device '" + uri + which + describe(uri, devices));
  }

  private static boolean isIndexOf(String selector, DeviceInfo device) {
    return INDEX.matcher(selector).matches() && Long.parseLong(selector) == device.index();
  }

  private static boolean isAddressOf(String selector, DeviceInfo device) {
    String address = device.pciAddress();
    return address != null
        && PCI_SELECTOR.matcher(selector).matches()
        && withoutZeros(address.toLowerCase(Locale.ROOT))
            .equals(withoutZeros(selector.substring(PCI.length())));
  }

  private static boolean isUuidOf(String selector, DeviceInfo device) {
    String uuid = device.uuid().toLowerCase(Locale.ROOT);
    return !uuid.isEmpty() && (selector.equals(uuid) || selector.equals(withoutPrefix(uuid)));
  }

  private static String withoutPrefix(String uuid) {
    return UUID_PREFIX.matcher(uuid).replaceFirst("");
  }

  /** A domain may have four or eight digits. */
  private static String withoutZeros(String pciAddress) {
    return pciAddress.replaceFirst("^0+", "");
  }

  private static String describe(DeviceUri uri, List<DeviceInfo> devices) {
    StringJoiner list = new StringJoiner("; ");
    for (DeviceInfo device : devices) {
      String pci = device.pciAddress() == null ? "" : ", " + PCI + device.pciAddress();
      String uuid = device.uuid().isEmpty() ? "" : ", uuid " + device.uuid();
      list.add(device.index() + " is " + device.name() + uuid + pci);
    }
    String count =
        devices.size() == 1 ? "there is 1 device" : "there are " + devices.size() + " devices";
    return count + " of driver '" + uri.driver() + "': " + list;
  }
}
