// SPDX-License-Identifier: Apache-2.0
package com.example;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import org.jhal.Device;
import org.jhal.Hal;
import org.junit.jupiter.api.Test;

class ScaleTest {
  @Test
  void multipliesEachValue() throws InterruptedException {
    float[] values = {1, -2, 0.5f};
    try (Device device = Hal.openDevice("mock")) {
      Scale.scale(device, 4, values);
    }
    assertArrayEquals(new float[] {4, -8, 2}, values);
  }
}
