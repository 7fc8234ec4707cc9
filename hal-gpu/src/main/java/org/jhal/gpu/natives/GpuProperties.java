// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.natives;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.jhal.DeviceInfo;

/**
 * The properties of a device, known without opening it.
 *
 * @param ordinal its number in the runtime, from 0
 * @param architecture the vendor's name for its instruction set
 * @param peers the devices whose memory it can use
 * @param multiprocessors how many it has
 * @param isCooperative whether it runs all workgroups of a launch at the same time on request
 * @param info its properties as users see them
 */
public record GpuProperties(
    int ordinal,
    String architecture,
    PeerAccess peers,
    int multiprocessors,
    boolean isCooperative,
    DeviceInfo info) {
  /** These properties, with the memory limited to {@code bytes}. */
  public GpuProperties withMemory(long bytes) {
    DeviceInfo limited = info.toBuilder().memoryBytes(Math.min(bytes, info.memoryBytes())).build();
    return withInfo(limited);
  }

  /** These properties, with the binding of the functions that operations call, for people. */
  public GpuProperties withBinding(String binding) {
    Map<String, String> all = new HashMap<>(info.properties());
    all.put("binding", binding);
    return withInfo(info.toBuilder().properties(all).build());
  }

  private GpuProperties withInfo(DeviceInfo other) {
    return new GpuProperties(ordinal, architecture, peers, multiprocessors, isCooperative, other);
  }

  /** A PCI address as text, such as {@code 0000:03:00.0}. */
  public static String pciAddress(int domain, int bus, int device) {
    return String.format(Locale.ROOT, "%04x:%02x:%02x.0", domain, bus, device);
  }

  /**
   * A uuid as the vendors' tools write it: a prefix such as {@code GPU-}, then all 16 bytes in
   * hexadecimal with dashes, or unchanged if they are already digits. Empty if the device has none:
   * zeros, or "XX" and zeros.
   */
  public static String uuid(String prefix, byte[] bytes) {
    String digits = new String(bytes, StandardCharsets.ISO_8859_1);
    if (digits.matches("(XX)?\\x00*")) {
      return "";
    }
    if (digits.matches("[0-9A-Fa-f]{16}")) {
      return prefix + digits.toLowerCase(Locale.ROOT);
    }
    ByteBuffer words = ByteBuffer.wrap(bytes);
    return prefix + new UUID(words.getLong(), words.getLong());
  }
}
