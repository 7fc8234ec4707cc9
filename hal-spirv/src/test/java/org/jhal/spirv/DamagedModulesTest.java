// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import org.jhal.HalException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Damaged modules are translated or refused, and nothing else happens. */
class DamagedModulesTest {
  private static final int MODULES = 3000;

  @Test
  @Timeout(300)
  void areRefusedOrTranslated() throws IOException {
    int refused = 0;
    for (int seed = 0; seed < MODULES; seed++) {
      Random random = new Random(seed);
      String file = Kernels.FILES.get(random.nextInt(Kernels.FILES.size()));
      int[] words = damaged(Kernels.words(Kernels.read(file)), random);
      try {
        SpirvTranslator.translate(Kernels.bytes(words));
      } catch (HalException e) {
        refused++;
      } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
        throw new AssertionError("seed " + seed + ", " + file, e);
      }
    }
    assertTrue(refused > MODULES / 2, refused + " of " + MODULES + " refused");
  }

  private static int[] damaged(int[] words, Random random) {
    int changes = 1 + random.nextInt(3);
    for (int i = 0; i < changes; i++) {
      int at = random.nextInt(words.length);
      switch (random.nextInt(6)) {
        case 0 -> words[at] = random.nextInt();
        case 1 -> words[at] ^= 1 << random.nextInt(32);
        case 2 -> words[at] = words[random.nextInt(words.length)];
        case 3 -> words[at] += random.nextInt(5) - 2;
        case 4 -> words = Arrays.copyOf(words, 5 + random.nextInt(words.length - 5));
        default -> words[at] = 1 + random.nextInt(Math.max(1, words[3]));
      }
      if (words.length <= 6) {
        break;
      }
    }
    return words;
  }
}
