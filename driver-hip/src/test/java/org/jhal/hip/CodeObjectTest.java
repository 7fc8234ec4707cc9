// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jhal.ElementType;
import org.jhal.HalException;
import org.jhal.Parameter;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.kernels.bundle.KernelArgument;
import org.jhal.kernels.bundle.KernelSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Code objects that the test creates; RealRuntimeTest reads those of a compiler. */
@Timeout(100)
class CodeObjectTest {
  private static final String WHAT = "a.hsaco";
  private static final int NOTE = 64 + 56;

  // The content of a file.

  private static Map<String, Object> argument(int offset, int size, String kind) {
    return Map.of(".offset", offset, ".size", size, ".value_kind", kind);
  }

  /** The metadata of saxpy, with hidden arguments behind its own. */
  private static final List<Object> ARGUMENTS =
      List.of(
          argument(0, 4, "by_value"),
          argument(4, 4, "by_value"),
          argument(8, 8, "global_buffer"),
          argument(16, 8, "global_buffer"),
          argument(24, 4, "hidden_block_count_x"),
          argument(80, 8, "hidden_multigrid_sync_arg"));

  private static Map<String, Object> metadata(String target, Object... kernels) {
    return new TreeMap<>(
        Map.of(
            "amdhsa.kernels",
            List.of(kernels),
            "amdhsa.target",
            "amdgcn-amd-amdhsa--" + target,
            "amdhsa.version",
            List.of(1, 1)));
  }

  private static Map<String, Object> saxpy() {
    return Map.of(".name", "saxpy", ".symbol", "saxpy.kd", ".args", ARGUMENTS);
  }

  /** A code object with one kernel, as far as its metadata goes. */
  static byte[] file(String target) {
    return elf(pack(metadata(target, saxpy())));
  }

  private static byte[] file() {
    return file("gfx90a:xnack-");
  }

  private static CodeObject read(Object metadata) {
    return CodeObject.read(elf(pack(metadata)), WHAT);
  }

  // Its encoding.

  /** A file with one segment, which has a note of another tool and the note of the metadata. */
  private static byte[] elf(byte[] metadata) {
    ByteBuffer notes = ByteBuffer.allocate(64 + metadata.length).order(ByteOrder.LITTLE_ENDIAN);
    note(notes, 3, "GNU", new byte[] {1, 2, 3, 4, 5});
    note(notes, 32, "AMDGPU", metadata);
    int length = notes.position();
    ByteBuffer file = ByteBuffer.allocate(NOTE + length + 64).order(ByteOrder.LITTLE_ENDIAN);
    file.put(new byte[] {0x7F, 'E', 'L', 'F', 2, 1, 1, 64, 2});
    file.putShort(16, (short) 3).putShort(18, (short) 224);
    file.putLong(32, 64).putShort(54, (short) 56).putShort(56, (short) 1);
    file.putLong(40, NOTE + length).putShort(58, (short) 64).putShort(60, (short) 1);
    file.putInt(64, 4).putLong(64 + 8, NOTE).putLong(64 + 32, length);
    file.position(NOTE).put(notes.array(), 0, length);
    return file.array();
  }

  private static void note(ByteBuffer to, int type, String name, byte[] content) {
    to.putInt(name.length() + 1).putInt(content.length).putInt(type);
    to.put((name + "\0").getBytes(StandardCharsets.US_ASCII));
    to.position((to.position() + 3) / 4 * 4);
    to.put(content);
    to.position((to.position() + 3) / 4 * 4);
  }

  private static byte[] pack(Object value) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    pack(value, out);
    return out.toByteArray();
  }

  private static void pack(Object value, ByteArrayOutputStream out) {
    if (value instanceof Map<?, ?> map) {
      out.writeBytes(new byte[] {(byte) 0xde, 0, (byte) map.size()});
      map.forEach(
          (key, item) -> {
            pack(key, out);
            pack(item, out);
          });
    } else if (value instanceof List<?> list) {
      out.writeBytes(new byte[] {(byte) 0xdc, 0, (byte) list.size()});
      list.forEach(item -> pack(item, out));
    } else if (value instanceof Integer number) {
      out.write(0xd2);
      out.writeBytes(ByteBuffer.allocate(4).putInt(number).array());
    } else {
      byte[] text = ((String) value).getBytes(StandardCharsets.UTF_8);
      out.writeBytes(new byte[] {(byte) 0xd9, (byte) text.length});
      out.writeBytes(text);
    }
  }

  private static KernelSpec saxpy(ElementType first) {
    Parameter.Direction in = Parameter.Direction.IN;
    return new KernelSpec(
        "saxpy",
        List.of(
            new Parameter("n", Parameter.Kind.CONSTANT, first, in),
            new Parameter("a", Parameter.Kind.CONSTANT, ElementType.F32, in),
            new Parameter("x", Parameter.Kind.BUFFER, ElementType.F32, in),
            new Parameter("y", Parameter.Kind.BUFFER, ElementType.F32, in)),
        Workgroups.of(1),
        0);
  }

  private static void assertMalformed(byte[] file) {
    HalException thrown =
        assertThrows(
            HalException.class, () -> CodeObject.read(file, WHAT), () -> "length " + file.length);
    assertEquals(Status.INVALID_ARGUMENT, thrown.status());
    assertTrue(
        thrown
            .getMessage()
            .startsWith(
                "cannot load a.hsaco: this AMD code object of "
                    + file.length
                    + " bytes is malformed or cut off"),
        thrown.getMessage());
  }

  @Test
  void readsTheArchitectureAndTheVisibleArguments() {
    CodeObject code = CodeObject.read(file(), WHAT);
    assertEquals("gfx90a:xnack-", code.architecture());
    assertEquals(
        Map.of(
            "saxpy",
            List.of(
                new KernelArgument(0, 4, false),
                new KernelArgument(4, 4, false),
                new KernelArgument(8, 8, true),
                new KernelArgument(16, 8, true))),
        code.kernels());
  }

  @Test
  void refusesArgumentsThatDifferFromTheManifest() {
    CodeObject code = CodeObject.read(file(), WHAT);
    code.checkArguments("saxpy", saxpy(ElementType.I32), "saxpy");
    code.checkArguments("other", saxpy(ElementType.F64), "what the metadata lacks");

    HalException wider =
        assertThrows(
            HalException.class,
            () -> code.checkArguments("saxpy", saxpy(ElementType.I64), "'saxpy' in a.hsaco"));
    assertEquals(Status.INVALID_ARGUMENT, wider.status());
    assertEquals(
        "'saxpy' in a.hsaco takes 4 arguments, in bytes [4 at 0, 4 at 4, a pointer at 8, a pointer"
            + " at 16]; by the manifest they are 4, [8 at 0, 4 at 8, a pointer at 16, a pointer at"
            + " 24]",
        wider.getMessage());

    KernelSpec all = saxpy(ElementType.I32);
    KernelSpec fewer = new KernelSpec("saxpy", all.parameters().subList(0, 3), Workgroups.of(1), 0);
    assertThrows(HalException.class, () -> code.checkArguments("saxpy", fewer, "saxpy"));
  }

  @Test
  void distinguishesAPointerFromANumber() {
    CodeObject code = CodeObject.read(file(), WHAT);
    List<Parameter> swapped = new ArrayList<>(saxpy(ElementType.I32).parameters());
    swapped.set(3, Parameter.constant("y", ElementType.U64));
    KernelSpec number = new KernelSpec("saxpy", swapped, Workgroups.of(1), 0);
    HalException refused =
        assertThrows(HalException.class, () -> code.checkArguments("saxpy", number, "saxpy"));
    assertEquals(Status.INVALID_ARGUMENT, refused.status());
    assertTrue(refused.getMessage().endsWith("a pointer at 8, 8 at 16]"), refused::getMessage);
  }

  @Test
  void acceptsAKernelWithoutArgumentsOrMetadata() {
    CodeObject code =
        read(
            metadata(
                "gfx900",
                Map.of(".name", "none", ".kernarg_segment_size", 0),
                Map.of(".name", "hidden", ".args", List.of(argument(0, 8, "hidden_none"))),
                Map.of(".name", "secret", ".kernarg_segment_size", 8),
                Map.of(".symbol", "nameless.kd", ".args", ARGUMENTS)));
    assertEquals(Map.of("none", List.of(), "hidden", List.of()), code.kernels());
    assertThrows(
        HalException.class, () -> code.checkArguments("none", saxpy(ElementType.I32), "none"));
    code.checkArguments("secret", saxpy(ElementType.I32), "secret");
  }

  @ParameterizedTest
  @CsvSource({
    "gfx90a, gfx90a:sramecc+:xnack-, true",
    "gfx90a:xnack-, gfx90a:sramecc+:xnack-, true",
    "gfx90a:sramecc+:xnack-, gfx90a:sramecc+:xnack-, true",
    "gfx90a:xnack+, gfx90a:sramecc+:xnack-, false",
    "gfx90a:sramecc-, gfx90a:sramecc+:xnack-, false",
    "gfx90, gfx90a:sramecc+:xnack-, false",
    "gfx908:sramecc+:xnack-, gfx90a:sramecc+:xnack-, false",
    "gfx1030, gfx1030, true",
    "gfx1031, gfx1030, false",
    "gfx10-3-generic, gfx1030, true",
    "gfx9-generic, gfx1030, true", // the runtime knows which devices a family has
  })
  void refusesCodeForAnotherArchitecture(String code, String device, boolean isFit) {
    CodeObject object = read(metadata(code, saxpy()));
    if (isFit) {
      object.checkArchitecture(device, WHAT);
      return;
    }
    HalException refused =
        assertThrows(HalException.class, () -> object.checkArchitecture(device, WHAT));
    assertEquals(Status.UNIMPLEMENTED, refused.status());
    assertEquals(
        "cannot load a.hsaco: it is for " + code + ", the device is " + device,
        refused.getMessage());
  }

  @Test
  void acceptsAnUnknownArchitecture() {
    Map<String, Object> old = metadata("", saxpy());
    old.remove("amdhsa.target");
    CodeObject code = read(old);
    assertEquals("", code.architecture());
    code.checkArchitecture("gfx1030", WHAT);
    code.checkArguments("saxpy", saxpy(ElementType.I32), WHAT);
    old.put("amdhsa.target", "nvptx64-nvidia-cuda--sm_90");
    assertEquals("", read(old).architecture());
  }

  @Test
  void leavesOtherFilesToTheRuntime() {
    for (String text :
        List.of("", "\177ELF", "__CLANG_OFFLOAD_BUNDLE__" + " ".repeat(99), "CCOB")) {
      assertSame(
          CodeObject.UNKNOWN, CodeObject.read(text.getBytes(StandardCharsets.ISO_8859_1), WHAT));
    }
    for (int machine : new int[] {62, 183, 190, 0}) { // x86-64, AArch64, CUDA
      byte[] other = file();
      other[18] = (byte) machine;
      assertSame(CodeObject.UNKNOWN, CodeObject.read(other, WHAT));
    }
    byte[] small = file();
    small[4] = 1; // 32 bits
    assertSame(CodeObject.UNKNOWN, CodeObject.read(small, WHAT));
    byte[] noteless = file();
    noteless[64] = 1; // a segment that is loaded
    assertSame(CodeObject.UNKNOWN, CodeObject.read(noteless, WHAT));
    CodeObject.UNKNOWN.checkArchitecture("gfx90a", WHAT);
    CodeObject.UNKNOWN.checkArguments("saxpy", saxpy(ElementType.I64), WHAT);
  }

  @Test
  void refusesMalformedMetadata() {
    assertMalformed(elf(pack("text")));
    assertMalformed(elf(pack(Map.of("amdhsa.kernels", "text"))));
    assertMalformed(elf(pack(Map.of("amdhsa.kernels", List.of("text")))));
    assertMalformed(elf(pack(Map.of(5, "text"))));
    for (int number : new int[] {-1, Integer.MIN_VALUE}) {
      Object kernel = Map.of(".name", "a", ".args", List.of(argument(number, 4, "by_value")));
      assertMalformed(elf(pack(metadata("gfx90a", kernel))));
    }
    Object sizeless = Map.of(".name", "a", ".args", List.of(Map.of(".offset", 0)));
    assertMalformed(elf(pack(metadata("gfx90a", sizeless))));
    byte[] nested = new byte[100_000];
    Arrays.fill(nested, (byte) 0x91); // an array with an array with ...
    assertMalformed(elf(nested));
    byte[] huge = {(byte) 0xdd, -1, -1, -1, -1};
    assertMalformed(elf(huge));
    assertMalformed(elf(new byte[] {(byte) 0xc1}));
    assertMalformed(elf(new byte[0]));
  }

  @ParameterizedTest
  @ValueSource(ints = {32, 40, 64 + 8, 64 + 32, NOTE, NOTE + 4})
  void refusesALengthOrAnOffsetBeyondTheFile(int field) {
    for (byte value : new byte[] {-1, 127, -128}) {
      byte[] file = file();
      file[field + 3] = value;
      assertMalformed(file);
    }
  }

  @Test
  void readsOrRefusesADamagedFile() {
    checkDamaged(file());
  }

  /** Checks that any damage of a file results in INVALID_ARGUMENT at most. */
  static void checkDamaged(byte[] good) {
    for (int length = 64; length < good.length; length += 1 + good.length / 500) {
      assertMalformed(Arrays.copyOf(good, length));
    }
    Random random = new Random(good.length);
    int refused = 0;
    for (int round = 0; round < 5000; round++) {
      byte[] bad = good.clone();
      for (int change = random.nextInt(4); change >= 0; change--) {
        // Half of the changes where the tables are, which are small.
        bad[random.nextInt(random.nextBoolean() ? good.length : Math.min(2048, good.length))] =
            (byte) random.nextInt();
      }
      try {
        CodeObject.read(bad, WHAT).checkArguments("saxpy", saxpy(ElementType.I32), WHAT);
      } catch (HalException e) {
        assertEquals(Status.INVALID_ARGUMENT, e.status());
        refused++;
      }
    }
    assertTrue(refused > 100, "only " + refused + " were refused");
  }

  @Test
  void readsEveryTypeOfMessagePack() {
    assertEquals(5L, MessagePack.read(new byte[] {5}));
    assertEquals(-3L, MessagePack.read(new byte[] {-3}));
    assertEquals(false, MessagePack.read(new byte[] {(byte) 0xc2}));
    assertEquals(true, MessagePack.read(new byte[] {(byte) 0xc3}));
    assertEquals("ab", MessagePack.read(new byte[] {(byte) 0xa2, 'a', 'b'}));
    assertEquals("a", MessagePack.read(new byte[] {(byte) 0xd9, 1, 'a'}));
    assertEquals("a", MessagePack.read(new byte[] {(byte) 0xda, 0, 1, 'a'}));
    assertEquals("a", MessagePack.read(new byte[] {(byte) 0xdb, 0, 0, 0, 1, 'a'}));
    assertEquals(200L, MessagePack.read(new byte[] {(byte) 0xcc, (byte) 200}));
    assertEquals(65534L, MessagePack.read(new byte[] {(byte) 0xcd, -1, -2}));
    assertEquals(0xFFFFFFFEL, MessagePack.read(new byte[] {(byte) 0xce, -1, -1, -1, -2}));
    assertEquals(258L, MessagePack.read(new byte[] {(byte) 0xcf, 0, 0, 0, 0, 0, 0, 1, 2}));
    assertEquals(-2L, MessagePack.read(new byte[] {(byte) 0xd0, -2}));
    assertEquals(-2L, MessagePack.read(new byte[] {(byte) 0xd1, -1, -2}));
    assertEquals(-2L, MessagePack.read(new byte[] {(byte) 0xd2, -1, -1, -1, -2}));
    assertEquals(-2L, MessagePack.read(new byte[] {(byte) 0xd3, -1, -1, -1, -1, -1, -1, -1, -2}));
    assertEquals(List.of(1L, 2L), MessagePack.read(new byte[] {(byte) 0x92, 1, 2}));
    assertEquals(List.of(1L), MessagePack.read(new byte[] {(byte) 0xdc, 0, 1, 1}));
    assertEquals(List.of(1L), MessagePack.read(new byte[] {(byte) 0xdd, 0, 0, 0, 1, 1}));
    assertEquals(Map.of("a", 1L), MessagePack.read(new byte[] {(byte) 0x81, (byte) 0xa1, 'a', 1}));
    assertEquals(Map.of(), MessagePack.read(new byte[] {(byte) 0xdf, 0, 0, 0, 0}));
  }

  /** Each is followed by the number 7, which is found only if the value before it is skipped. */
  @Test
  void skipsUnknownMetadata() {
    for (byte[] value :
        List.of(
            new byte[] {(byte) 0xc0},
            new byte[] {(byte) 0xca, 0, 0, 0, 0},
            new byte[] {(byte) 0xcb, 0, 0, 0, 0, 0, 0, 0, 0},
            new byte[] {(byte) 0xc4, 2, 1, 1},
            new byte[] {(byte) 0xc5, 0, 2, 1, 1},
            new byte[] {(byte) 0xc6, 0, 0, 0, 2, 1, 1},
            new byte[] {(byte) 0xc7, 2, 9, 1, 1},
            new byte[] {(byte) 0xc8, 0, 2, 9, 1, 1},
            new byte[] {(byte) 0xc9, 0, 0, 0, 2, 9, 1, 1},
            new byte[] {(byte) 0xd4, 9, 1},
            new byte[] {(byte) 0xd5, 9, 1, 1},
            new byte[] {(byte) 0xd6, 9, 1, 1, 1, 1},
            new byte[] {(byte) 0xd7, 9, 1, 1, 1, 1, 1, 1, 1, 1},
            new byte[] {(byte) 0xd8, 9, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1})) {
      byte[] pair = new byte[value.length + 2];
      pair[0] = (byte) 0x92;
      System.arraycopy(value, 0, pair, 1, value.length);
      pair[pair.length - 1] = 7;
      assertEquals(List.of("", 7L), MessagePack.read(pair), () -> Arrays.toString(value));
    }
  }
}
