package org.jhal.driver.gpu;

import java.util.Locale;
import org.jhal.DeviceInfo;

/**
 * What is known of a device without opening it.
 *
 * @param ordinal its number, from 0
 * @param architecture what the vendor's tools call its instruction set
 * @param maxSharedMemory of a workgroup, in bytes; of one that asks for more than the default, if
 *     there is a difference
 * @param info for users
 */
public record GpuProperties(
    int ordinal, String architecture, int maxSharedMemory, DeviceInfo info) {
  /** The same with less memory. */
  GpuProperties withMemory(long bytes) {
    DeviceInfo limited = info.toBuilder().memoryBytes(Math.min(bytes, info.memoryBytes())).build();
    return new GpuProperties(ordinal, architecture, maxSharedMemory, limited);
  }

  /** {@code 0000:03:00.0}. */
  public static String pciAddress(int domain, int bus, int device) {
    return String.format(Locale.ROOT, "%04x:%02x:%02x.0", domain, bus, device);
  }

  /**
   * As the vendors' tools write it: {@code GPU-}, then all 16 bytes, in hexadecimal with dashes, or
   * as they are where they already are digits. Empty where a device has none, which is told by
   * zeros, or "XX" and zeros.
   */
  public static String uuid(byte[] bytes) {
    String digits = new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1);
    if (digits.matches("(XX)?\\x00*")) {
      return "";
    }
    if (digits.matches("[0-9A-Fa-f]{16}")) {
      return "GPU-" + digits.toLowerCase(Locale.ROOT);
    }
    StringBuilder text = new StringBuilder("GPU-");
    for (int i = 0; i < bytes.length; i++) {
      if (i == 4 || i == 6 || i == 8 || i == 10) {
        text.append('-');
      }
      text.append(String.format(Locale.ROOT, "%02x", bytes[i]));
    }
    return text.toString();
  }

  /** The text in a buffer that ends with a zero, or with the buffer. */
  public static String text(byte[] bytes) {
    int length = 0;
    while (length < bytes.length && bytes[length] != 0) {
      length++;
    }
    return new String(bytes, 0, length, java.nio.charset.StandardCharsets.UTF_8);
  }
}
