// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jhal.fuzz.Fuzz;
import org.junit.jupiter.api.Test;

/** Modules of SPIR-V that the translator to Vulkan reads. */
class TranslatorFuzzTest {
  private static final int MAGIC = 0x07230203;

  private static byte[] read(String name) throws IOException {
    String file = "kernels/" + name + ".spv";
    try (InputStream in = TranslatorFuzzTest.class.getResourceAsStream(file)) {
      return Objects.requireNonNull(in, file).readAllBytes();
    }
  }

  /** Makes it whole words, of which the first is right: otherwise nothing else is read. */
  private static byte[] mended(byte[] module) {
    byte[] words = new byte[Math.max(1, module.length / Integer.BYTES) * Integer.BYTES];
    System.arraycopy(module, 0, words, 0, Math.min(module.length, words.length));
    ByteBuffer.wrap(words).order(ByteOrder.LITTLE_ENDIAN).putInt(0, MAGIC);
    return words;
  }

  @Test
  void modules() throws Exception {
    List<byte[]> modules = new ArrayList<>();
    for (String name : List.of("flow", "memory", "functions")) {
      modules.add(read(name));
    }
    new Fuzz("spirv", modules, List.of("\3\2#\7", "hal_barrier", "hal_shuffle", "hal_trap"))
        .mending(TranslatorFuzzTest::mended)
        .run(
            2_000,
            input -> {
              byte[] unused = SpirvTranslator.translate(input);
            });
  }
}
