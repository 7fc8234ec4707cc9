// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.jhal.HalException;
import org.junit.jupiter.api.Test;

/** The suite's kernels have one shared array, with one int more than the manifest's bytes hold. */
class SharedMemoryTest {
  @Test
  void dependsOnTheSpecialization() throws IOException {
    byte[] code = SpirvModuleTest.kernels();
    assertEquals(4, SharedMemory.bytes(code, "reverse", new int[] {64, 1, 1, 0}));
    assertEquals(260, SharedMemory.bytes(code, "reverse", new int[] {64, 1, 1, 256}));
    assertEquals(1 << 30 | 4, SharedMemory.bytes(code, "reverse", new int[] {1, 1, 1, 1 << 30}));
  }

  @Test
  void isNothingOfAKernelThatIsNotThere() throws IOException {
    assertEquals(0, SharedMemory.bytes(SpirvModuleTest.kernels(), "none", new int[] {1, 1, 1, 64}));
  }

  /** What the reader of modules accepts never makes this fail, whatever the words are. */
  @Test
  void randomWordsGiveANumber() throws IOException {
    byte[] whole = SpirvModuleTest.kernels();
    Random random = new Random(50);
    int accepted = 0;
    for (int round = 0; round < 5000; round++) {
      byte[] code = whole.clone();
      int word = random.nextInt(code.length / Integer.BYTES);
      ByteBuffer.wrap(code)
          .order(ByteOrder.LITTLE_ENDIAN)
          .putInt(word * Integer.BYTES, random.nextInt());
      try {
        SpirvModule.read(code, "random.spv");
      } catch (HalException e) {
        continue;
      }
      accepted++;
      long unused = SharedMemory.bytes(code, "reverse", new int[] {1, 1, 1, 64});
    }
    assertTrue(accepted > 1000, "hardly any was accepted, so nothing was tested");
  }
}
