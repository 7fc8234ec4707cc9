// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is read of ELF files, sound and damaged ones. */
class ElfFileTest {
  private static final int SEGMENTS = 64;
  private static final int SECTIONS = 256;
  private static final int NAMES = 128;
  private static final int TEXT = 160;
  private static final int BYTES = SECTIONS + 4 * 64;

  /**
   * Two segments, and four sections: an empty one, the names, one with text, one without content.
   */
  private static ByteBuffer file() {
    ByteBuffer file = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
    file.putInt(0, 0x464C457F).putShort(4, (short) 0x0102).putShort(18, (short) 62);
    file.putLong(32, SEGMENTS).putShort(54, (short) 56).putShort(56, (short) 1);
    file.putInt(SEGMENTS, ElfFile.SEGMENT_STACK).putInt(SEGMENTS + 4, 6);
    file.putLong(SEGMENTS + 8, TEXT).putLong(SEGMENTS + 32, 4);
    file.putLong(40, SECTIONS).putShort(58, (short) 64).putShort(60, (short) 4);
    file.putShort(62, (short) 1);
    put(file, NAMES, "\0.names\0.about\0.bss\0");
    put(file, TEXT, "text");
    section(file, 1, 1, 3, NAMES, 21);
    section(file, 2, 8, 1, TEXT, 4);
    section(file, 3, 15, 8, 1 << 30, 1 << 30);
    return file;
  }

  private static void put(ByteBuffer file, int at, String text) {
    file.duplicate().position(at).put(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  private static void section(
      ByteBuffer file, int index, int name, int type, long offset, long length) {
    int at = SECTIONS + 64 * index;
    file.putInt(at, name).putInt(at + 4, type).putLong(at + 24, offset).putLong(at + 32, length);
  }

  private static ElfFile elf(ByteBuffer bytes) {
    @Nullable ElfFile read = ElfFile.of(bytes);
    assertNotNull(read);
    return read;
  }

  private static String text(ByteBuffer bytes) {
    return StandardCharsets.ISO_8859_1.decode(bytes.duplicate()).toString();
  }

  @Test
  void segmentsAndSectionsAreRead() {
    ElfFile elf = elf(file());
    assertEquals(62, elf.machine());
    assertEquals(List.of(new ElfFile.Segment(ElfFile.SEGMENT_STACK, 6, TEXT, 4)), elf.segments());
    assertEquals("text", text(elf.content(elf.segments().get(0))));
    assertEquals(
        List.of("", ".names", ".about"),
        elf.sections().stream().map(ElfFile.Section::name).toList(),
        "one without content is none");
    assertEquals("text", text(elf.sections().get(2).content()));
    assertTrue(elf.sections().get(2).content().isReadOnly());
  }

  @Test
  void anotherFileIsNone() {
    assertNull(ElfFile.of(ByteBuffer.allocate(0)));
    assertNull(ElfFile.of(ByteBuffer.wrap(Arrays.copyOf(file().array(), 63))), "a cut header");
    assertNull(ElfFile.of(file().put(0, (byte) 0)), "another magic number");
    assertNull(ElfFile.of(file().put(4, (byte) 1)), "32 bits");
    assertNull(ElfFile.of(file().put(5, (byte) 2)), "big-endian");
  }

  @Test
  void aFileWithoutTablesHasNoParts() {
    ElfFile elf = elf(file().putShort(56, (short) 0).putShort(60, (short) 0));
    assertEquals(List.of(), elf.segments());
    assertEquals(List.of(), elf.sections());
  }

  @Test
  void whatLiesBehindTheEndIsRefused() {
    assertRefused(file().putLong(SECTIONS + 2 * 64 + 32, BYTES), "no 512 bytes at 160, but 512");
    assertRefused(file().putLong(SECTIONS + 2 * 64 + 24, -1), "no 4 bytes at -1");
    assertRefused(file().putLong(40, BYTES - 1), "bytes at 511");
    assertRefused(file().putShort(62, (short) 4), "section 4 of 4");
    assertRefused(file().putShort(58, (short) 63), "63 bytes, and not 64");
    assertRefused(file().putInt(SECTIONS + 2 * 64, -1), "bytes at -1");
    ElfFile cut = elf(ByteBuffer.wrap(Arrays.copyOf(file().array(), BYTES - 1)));
    assertThrows(IllegalArgumentException.class, cut::sections);
    assertEquals(1, cut.segments().size());
  }

  private static void assertRefused(ByteBuffer bytes, String message) {
    IllegalArgumentException thrown =
        assertThrows(IllegalArgumentException.class, elf(bytes)::sections);
    assertTrue(String.valueOf(thrown.getMessage()).contains(message), thrown::getMessage);
  }

  @Test
  void damagedFilesThrowNothingElse() {
    Random random = new Random(1);
    for (int i = 0; i < 20_000; i++) {
      ByteBuffer bytes = file();
      for (int n = random.nextInt(4); n >= 0; n--) {
        bytes.put(random.nextInt(BYTES), (byte) random.nextInt());
      }
      ElfFile elf = ElfFile.of(bytes);
      if (elf == null) {
        continue;
      }
      try {
        elf.segments().forEach(elf::content);
        elf.sections();
      } catch (IllegalArgumentException e) {
        continue;
      }
    }
  }
}
