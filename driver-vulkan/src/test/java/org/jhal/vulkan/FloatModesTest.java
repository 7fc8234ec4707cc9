// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a module is told about NaN and about subnormal numbers. */
class FloatModesTest {
  private static final FloatMode NAN = FloatMode.SIGNED_ZERO_INF_NAN_PRESERVE;
  private static final FloatMode SUBNORMAL = FloatMode.DENORM_PRESERVE;

  private static byte[] demand(byte[] code, Map<FloatMode, Set<Integer>> modes) {
    return FloatModes.demand(code, SpirvModule.read(code, "the module"), modes);
  }

  private static byte[] keptNans(byte[] code, Set<Integer> bits) {
    return demand(code, Map.of(NAN, bits));
  }

  private static int modes(byte[] code, FloatMode mode, int bits) {
    ByteBuffer words = ByteBuffer.wrap(code).order(ByteOrder.LITTLE_ENDIAN);
    int count = 0;
    for (int at = 20; at < code.length; at += (words.getInt(at) >>> 16) * 4) {
      boolean isMode = words.getInt(at) == (4 << 16 | 16) && words.getInt(at + 8) == mode.mode;
      count += isMode && words.getInt(at + 12) == bits ? 1 : 0;
    }
    return count;
  }

  @Test
  void eachKernelKeepsNansOfTheFloatsThatTheModuleHas() throws IOException {
    byte[] kernels = SpirvModuleTest.kernels();
    byte[] kept = keptNans(kernels, Set.of(16, 32, 64));
    SpirvModule module = SpirvModule.read(kept, "the module");
    assertTrue(module.capabilities().contains(NAN.capability));
    assertEquals(SpirvModule.read(kernels, "before").kernels(), module.kernels());
    assertEquals(module.kernels().size(), modes(kept, NAN, 32));
    assertEquals(0, modes(kept, NAN, 16));
  }

  @Test
  void severalModesAreDemanded() throws IOException {
    byte[] kernels = SpirvModuleTest.kernels();
    byte[] kept = demand(kernels, Map.of(NAN, Set.of(16, 32), SUBNORMAL, Set.of(32)));
    SpirvModule module = SpirvModule.read(kept, "the module");
    assertTrue(module.capabilities().containsAll(Set.of(NAN.capability, SUBNORMAL.capability)));
    assertEquals(module.kernels().size(), modes(kept, NAN, 32));
    assertEquals(module.kernels().size(), modes(kept, SUBNORMAL, 32));
  }

  @Test
  void aModuleThatFlushesSubnormalsDoesSo() throws IOException {
    byte[] flushing =
        demand(SpirvModuleTest.kernels(), Map.of(FloatMode.DENORM_FLUSH_TO_ZERO, Set.of(32)));
    assertSame(flushing, demand(flushing, Map.of(SUBNORMAL, Set.of(32))));
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
