// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a module is told about NaN. */
class FloatModesTest {
  private static final int SIGNED_ZERO_INF_NAN_PRESERVE = 4466;

  private static byte[] keptNans(byte[] code, Set<Integer> bits) {
    return FloatModes.keepNans(code, SpirvModule.read(code, "the module"), bits);
  }

  private static int modes(byte[] code, int bits) {
    ByteBuffer words = ByteBuffer.wrap(code).order(ByteOrder.LITTLE_ENDIAN);
    int count = 0;
    for (int at = 20; at < code.length; at += (words.getInt(at) >>> 16) * 4) {
      boolean isMode = words.getInt(at) == (4 << 16 | 16) && words.getInt(at + 8) == 4461;
      count += isMode && words.getInt(at + 12) == bits ? 1 : 0;
    }
    return count;
  }

  @Test
  void eachKernelKeepsNansOfTheFloatsThatTheModuleHas() throws IOException {
    byte[] kernels = SpirvModuleTest.kernels();
    byte[] kept = keptNans(kernels, Set.of(16, 32, 64));
    SpirvModule module = SpirvModule.read(kept, "the module");
    assertTrue(module.capabilities().contains(SIGNED_ZERO_INF_NAN_PRESERVE));
    assertEquals(SpirvModule.read(kernels, "before").kernels(), module.kernels());
    assertEquals(module.kernels().size(), modes(kept, 32));
    assertEquals(0, modes(kept, 16));
  }

  @Test
  void aModuleStaysAsItIs() throws IOException {
    byte[] kernels = SpirvModuleTest.kernels();
    assertSame(kernels, keptNans(kernels, Set.of()), "where the device cannot");
    assertSame(kernels, keptNans(kernels, Set.of(16)), "without such floats");
    byte[] kept = keptNans(kernels, Set.of(32));
    assertArrayEquals(kept, keptNans(kept, Set.of(32)), "with its own words");
    byte[] old = kernels.clone();
    ByteBuffer.wrap(old).order(ByteOrder.LITTLE_ENDIAN).putInt(4, 0x00010300);
    assertSame(old, keptNans(old, Set.of(32)), "of a version without the mode");
  }
}
