// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class GpuPropertiesTest {
  private static byte[] ascii(String text) {
    return Arrays.copyOf(text.getBytes(StandardCharsets.US_ASCII), 16);
  }

  @Test
  void writesAUuidLikeTheVendorsTools() {
    byte[] bytes = new byte[16];
    for (int i = 0; i < 16; i++) {
      bytes[i] = (byte) (0xA0 + i);
    }
    assertEquals("GPU-a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf", GpuProperties.uuid("GPU-", bytes));
    assertEquals("GPU-57a8b0c1d2e3f405", GpuProperties.uuid("GPU-", ascii("57A8B0C1d2e3f405")));
  }

  @Test
  void omitsAMissingSerialNumber() {
    assertEquals("", GpuProperties.uuid("GPU-", new byte[16]));
    assertEquals("", GpuProperties.uuid("GPU-", ascii("XX")));
  }

  @Test
  void writesAPciAddress() {
    assertEquals("0000:03:00.0", GpuProperties.pciAddress(0, 3, 0));
  }
}
