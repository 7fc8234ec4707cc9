// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import static org.jhal.cts.support.TestData.assertHal;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.kernels.bundle.KernelArgument;
import org.junit.jupiter.api.Test;

/** What is read of modules, and what is refused before a vendor's compiler sees it. */
class SpirvModuleTest {
  /** The first words of the suite's kernels: a header of five, then Capability Shader. */
  private static final int VERSION = 1;

  private static final int FIRST_INSTRUCTION = 5;

  @Test
  void readsCapabilitiesAndKernels() throws IOException {
    SpirvModule module = SpirvModule.read(kernels(), "kernels.spv");
    assertEquals(Set.of(1, 10, 11, 4448, 5347), module.capabilities());
    assertEquals(14, module.kernels().size());
    assertTrue(module.kernels().containsAll(Set.of("absolute", "write_structs", "trap")));
  }

  @Test
  void readsNotesAboutArguments() throws IOException {
    assertEquals(Map.of(), SpirvModule.read(kernels(), "kernels.spv").arguments());
    Map<String, List<KernelArgument>> arguments =
        SpirvModule.read(
                withNotes(
                    "jhal-arguments p@0,4@8,12@12 first",
                    "jhal-arguments - second",
                    "jhal-arguments p@0;4@8 third",
                    "another tool"),
                "kernels.spv")
            .arguments();
    assertEquals(
        Map.of(
            "first",
            List.of(
                new KernelArgument(0, 8, true),
                new KernelArgument(8, 4, false),
                new KernelArgument(12, 12, false)),
            "second",
            List.of()),
        arguments);
  }

  @Test
  void readsNotesAboutVariables() throws IOException {
    assertEquals(0, SpirvModule.read(kernels(), "kernels.spv").variables().size());
    ModuleVariables variables =
        SpirvModule.read(
                withNotes(
                    "jhal-memory 40",
                    "jhal-variable 0 4 count",
                    "jhal-bytes 0 KAAAAA==",
                    "jhal-variable 8 16 inner::pair",
                    "jhal-pointer 16 40",
                    "jhal-bytes 37 AQID"),
                "kernels.spv")
            .variables();
    assertEquals(40, variables.size());
    assertEquals(
        Map.of(
            "count",
            new ModuleVariables.Place(0, 4),
            "inner::pair",
            new ModuleVariables.Place(8, 16)),
        variables.named());
    ByteBuffer memory = ByteBuffer.allocate(40).order(ByteOrder.nativeOrder());
    memory.putInt(4, 99);
    variables.write(memory, 1000);
    assertEquals(40, memory.getInt(0));
    assertEquals(0, memory.getInt(4));
    assertEquals(1040, memory.getLong(16));
    assertEquals(3, memory.get(39));
  }

  @Test
  void refusesVariablesOutsideTheirMemory() throws IOException {
    for (String note :
        List.of(
            "jhal-bytes 38 AQID",
            "jhal-bytes 0 A",
            "jhal-bytes 4294967296 AQID",
            "jhal-pointer 33 0",
            "jhal-pointer 0 41",
            "jhal-pointer 0 none",
            "jhal-variable 36 8 count",
            "jhal-variable 0 4",
            "jhal-memory 8")) {
      assertMalformed(withNotes("jhal-memory 40", note), "'" + note + "'");
    }
    assertMalformed(withNotes("jhal-memory 1073741825"), "'jhal-memory 1073741825'");
    assertMalformed(withNotes("jhal-bytes 0 AQID"), "has 0 bytes");
  }

  /** The module with texts of ModuleProcessed behind its other instructions. */
  private static byte[] withNotes(String... notes) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.writeBytes(kernels());
    for (String note : notes) {
      int words = 2 + note.length() / 4;
      ByteBuffer bytes = words(new byte[words * 4]).putInt(words << 16 | 330);
      all.writeBytes(bytes.put(note.getBytes(StandardCharsets.UTF_8)).array());
    }
    return all.toByteArray();
  }

  @Test
  void refusesWhatIsNoModule() throws IOException {
    assertMalformed(new byte[0], "0 bytes");
    assertMalformed(new byte[21], "21 bytes");
    assertMalformed(new byte[20], "0x00000000");
    byte[] turned = kernels();
    ByteBuffer.wrap(turned).order(ByteOrder.BIG_ENDIAN).putInt(0, 0x07230203);
    assertMalformed(turned, "0x03022307");
  }

  @Test
  void refusesInstructionsThatDoNotFit() throws IOException {
    assertMalformed(changed(FIRST_INSTRUCTION, 17), "word 5 has 0 words");
    assertMalformed(changed(FIRST_INSTRUCTION, 0xFFFF << 16 | 17), "word 5 has 65535 words");
    assertMalformed(Arrays.copyOf(kernels(), 24), "word 5 has 2 words, and 1 are left");
  }

  @Test
  void refusesAModuleThatEndsWithinAFunction() throws IOException {
    byte[] whole = kernels();
    assertMalformed(Arrays.copyOf(whole, whole.length - 4), "ends within a function");
  }

  @Test
  void refusesANewerVersion() throws IOException {
    byte[] newer = changed(VERSION, 0x00010600);
    assertHal(Status.UNIMPLEMENTED, () -> SpirvModule.read(newer, "k.spv"), "k.spv", "1.6", "1.5");
  }

  /** Whatever the words are, it is read or refused by name. */
  @Test
  void randomWordsAreReadOrRefused() throws IOException {
    byte[] whole = kernels();
    Random random = new Random(49);
    int refused = 0;
    for (int round = 0; round < 20_000; round++) {
      byte[] code = whole.clone();
      for (int i = 0; i < 3; i++) {
        int word = random.nextInt(code.length / Integer.BYTES);
        words(code).putInt(word * Integer.BYTES, random.nextInt());
      }
      try {
        SpirvModule.read(code, "random.spv");
      } catch (HalException e) {
        assertTrue(e.getMessage().startsWith("random.spv"), e.getMessage());
        refused++;
      }
    }
    assertTrue(refused > 1000, () -> "hardly any was refused, so the words were not random");
  }

  private static void assertMalformed(byte[] code, String why) {
    assertHal(Status.INVALID_ARGUMENT, () -> SpirvModule.read(code, "k.spv"), "k.spv", why);
  }

  private static byte[] changed(int word, int value) throws IOException {
    return changed(bytes -> bytes.putInt(word * Integer.BYTES, value));
  }

  private static byte[] changed(Consumer<ByteBuffer> change) throws IOException {
    byte[] code = kernels();
    change.accept(words(code));
    return code;
  }

  private static ByteBuffer words(byte[] code) {
    return ByteBuffer.wrap(code).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** The suite's kernels. */
  static byte[] kernels() throws IOException {
    try (InputStream in = SpirvModuleTest.class.getResourceAsStream("kernels/kernels.spv")) {
      return Objects.requireNonNull(in).readAllBytes();
    }
  }
}
