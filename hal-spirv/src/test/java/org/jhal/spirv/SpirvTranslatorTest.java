// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jhal.HalException;
import org.jhal.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Translated modules have the form that docs/vulkan.md describes, and Khronos's validator accepts
 * them.
 */
class SpirvTranslatorTest {
  private static final int KERNEL = 6;
  private static final int SHADER = 1;
  private static final int INT64_ATOMICS = 12;
  private static final int FLOAT64 = 10;
  private static final int TYPE_INT = 21;
  private static final int TYPE_VECTOR = 23;
  private static final int UNSIGNED_REMAINDER = 137;
  private static final int SIGNED_REMAINDER = 138;
  private static final int HEADER_WORDS = 5;
  private static final Set<Integer> SIGNED_COMPARISONS = Set.of(173, 175, 177, 179);

  static List<String> files() {
    return Kernels.FILES;
  }

  @Test
  void keepsTheNamesOfKernels() throws IOException {
    assertEquals(
        List.of("straight", "leaves", "cases", "entered_twice", "barriers"),
        Kernels.entries(SpirvTranslator.translate(Kernels.read("flow"))));
  }

  @Test
  void declaresOnlyWhatKernelsNeed() throws IOException {
    List<Integer> flow = Kernels.capabilities(SpirvTranslator.translate(Kernels.read("flow")));
    assertTrue(flow.contains(SHADER), flow.toString());
    assertFalse(flow.contains(KERNEL) || flow.contains(FLOAT64), flow.toString());
    List<Integer> functions =
        Kernels.capabilities(SpirvTranslator.translate(Kernels.read("functions")));
    assertTrue(functions.contains(INT64_ATOMICS) && functions.contains(FLOAT64));
  }

  @ParameterizedTest
  @MethodSource("files")
  void givesTheSameModuleAgain(String file) throws IOException {
    byte[] kernels = Kernels.read(file);
    assertArrayEquals(SpirvTranslator.translate(kernels), SpirvTranslator.translate(kernels));
  }

  @ParameterizedTest
  @MethodSource("files")
  void readsBothOrdersOfBytes(String file) throws IOException {
    byte[] kernels = Kernels.read(file);
    int[] words = Kernels.words(kernels);
    for (int i = 0; i < words.length; i++) {
      words[i] = Integer.reverseBytes(words[i]);
    }
    assertArrayEquals(
        SpirvTranslator.translate(kernels), SpirvTranslator.translate(Kernels.bytes(words)));
  }

  @ParameterizedTest
  @MethodSource("files")
  void makesModulesThatAreValid(String file) throws IOException {
    Kernels.assertValid(SpirvTranslator.translate(Kernels.read(file)));
  }

  @Test
  void saysWhatIsInMemoryOutsideFunctions() throws IOException {
    byte[] primes = SpirvTranslator.translate(Kernels.read("memory"));
    String text = new String(primes, StandardCharsets.ISO_8859_1);
    assertTrue(text.contains("jhal-memory 32\0"), "the size");
    assertTrue(text.contains("jhal-variable 0 32 primes\0"), "the variable");
    assertTrue(text.contains("jhal-bytes 0 AgAAAAMAAAAFAAAA"), "the first three numbers");
    byte[] flow = SpirvTranslator.translate(Kernels.read("flow"));
    assertFalse(new String(flow, StandardCharsets.ISO_8859_1).contains("jhal-memory"));
  }

  /** Since lavapipe compares them wrongly where one of them turns out to be constant. */
  @Test
  void comparesNoSignedNumbersOf64Bits() throws IOException {
    int before = 0;
    for (String file : Kernels.FILES) {
      byte[] kernels = Kernels.read(file);
      before += signedComparisons(Kernels.words(kernels));
      assertEquals(0, signedComparisons(Kernels.words(SpirvTranslator.translate(kernels))), file);
    }
    assertTrue(before > 0, "kernels that compare such numbers");
  }

  /** Since Vulkan leaves open what it gives for negative numbers. */
  @Test
  void takesNoSignedRemainders() throws IOException {
    int before = 0;
    for (String file : Kernels.FILES) {
      byte[] kernels = Kernels.read(file);
      before += makeRemaindersSigned(kernels);
      int[] translated = Kernels.words(SpirvTranslator.translate(kernels));
      assertEquals(0, count(SIGNED_REMAINDER, translated), file);
    }
    assertTrue(before > 0, "kernels that take remainders");
  }

  private static int makeRemaindersSigned(byte[] kernels) {
    ByteBuffer words = ByteBuffer.wrap(kernels).order(ByteOrder.LITTLE_ENDIAN);
    int count = 0;
    for (int at = HEADER_WORDS * 4; at < kernels.length; ) {
      int first = words.getInt(at);
      if ((first & 0xFFFF) == UNSIGNED_REMAINDER) {
        words.putInt(at, first - UNSIGNED_REMAINDER + SIGNED_REMAINDER);
        count++;
      }
      at += (first >>> 16) * 4;
    }
    return count;
  }

  private static int count(int opcode, int[] words) {
    int count = 0;
    for (int at = HEADER_WORDS; at < words.length; at += words[at] >>> 16) {
      count += (words[at] & 0xFFFF) == opcode ? 1 : 0;
    }
    return count;
  }

  /** How many instructions compare signed numbers of 64 bits, or vectors of them. */
  private static int signedComparisons(int[] words) {
    Set<Integer> types = new HashSet<>();
    int count = 0;
    Set<Integer> wide = new HashSet<>();
    for (int at : starts(words)) {
      int op = words[at] & 0xffff;
      if (op == TYPE_INT && words[at + 2] == Long.SIZE) {
        types.add(words[at + 1]);
      } else if (op == TYPE_VECTOR && types.contains(words[at + 2])) {
        types.add(words[at + 1]);
      } else if (words[at] >>> 16 > 2 && types.contains(words[at + 1])) {
        wide.add(words[at + 2]); // the result
      } else if (SIGNED_COMPARISONS.contains(op) && wide.contains(words[at + 3])) {
        count++;
      }
    }
    return count;
  }

  // ---- refusals ----

  /** Renames a function that the translator provides. */
  @Test
  void namesAFunctionThatVulkanLacks() throws IOException {
    byte[] kernels = Kernels.read("functions");
    replace(kernels, "hal_ballot", "hal_banana");
    assertFails(
        Status.UNIMPLEMENTED,
        kernels,
        "kernel 'warps' has a call of hal_banana, which Vulkan lacks");
  }

  private static void replace(byte[] in, String from, String to) {
    String text = new String(in, StandardCharsets.ISO_8859_1);
    int count = 0;
    for (int at = text.indexOf(from); at >= 0; at = text.indexOf(from, at + 1)) {
      System.arraycopy(to.getBytes(StandardCharsets.ISO_8859_1), 0, in, at, to.length());
      count++;
    }
    assertTrue(count > 0, from);
  }

  @Test
  void refusesShaders() throws IOException {
    byte[] shaders = SpirvTranslator.translate(Kernels.read("flow"));
    assertFails(
        Status.INVALID_ARGUMENT,
        shaders,
        "SPIR-V: the module does not declare the capability Kernel; only kernels of OpenCL's memory"
            + " model are translated");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 4, 19, 21})
  void refusesWhatHasNoHeader(int bytes) {
    assertFails(
        Status.INVALID_ARGUMENT,
        new byte[bytes],
        "SPIR-V, word 0: the module has " + bytes + " bytes; it needs at least 20, in words of 4");
  }

  @Test
  void namesTheWordThatIsWrong() throws IOException {
    assertFails(
        Status.INVALID_ARGUMENT,
        Kernels.bytes(1, 2, 3, 4, 5),
        "SPIR-V, word 0: the first word is 0x00000001, not 0x07230203");
    int[] words = Kernels.words(Kernels.read("flow"));
    List<Integer> starts = starts(words);
    int last = starts.get(starts.size() - 1);
    int[] longer = words.clone();
    longer[last] = longer[last] & 0xffff | 9 << 16;
    assertFails(
        Status.INVALID_ARGUMENT,
        Kernels.bytes(longer),
        "SPIR-V, word " + last + ": OpFunctionEnd has 9 words, and 1 are left");
    int[] none = words.clone();
    none[last] &= 0xffff;
    assertFails(
        Status.INVALID_ARGUMENT,
        Kernels.bytes(none),
        "SPIR-V, word " + last + ": OpFunctionEnd has 0 words, and 1 are left");
    int[] unbound = words.clone();
    unbound[3] = 0;
    assertFails(
        Status.INVALID_ARGUMENT,
        Kernels.bytes(unbound),
        "SPIR-V, word 3: the bound of ids is 0; it must be from 1 to 4194304");
  }

  private static List<Integer> starts(int[] words) {
    List<Integer> starts = new ArrayList<>();
    for (int at = 5; at < words.length; at += words[at] >>> 16) {
      starts.add(at);
    }
    return starts;
  }

  private static void assertFails(Status status, byte[] kernels, String message) {
    HalException failure =
        assertThrows(HalException.class, () -> SpirvTranslator.translate(kernels));
    assertEquals(status, failure.status(), failure.getMessage());
    assertEquals(message, failure.getMessage());
  }
}
