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
import org.junit.jupiter.api.function.Executable;

/** What is read of ELF files, sound and damaged ones. */
class ElfFileTest {
  private static final int SEGMENTS = 64;
  private static final int SECTIONS = 256;
  private static final int NAMES = 128;
  private static final int TEXT = 160;
  private static final int BYTES = SECTIONS + 4 * 64;
  private static final int OBJECT_SYMBOLS = 192;
  private static final int OBJECT_RELOCATIONS = OBJECT_SYMBOLS + 4 * 24;
  private static final int OBJECT_INDEXES = OBJECT_RELOCATIONS + 2 * 24;
  private static final int OBJECT_SECTIONS = 384;
  private static final int OBJECT_BYTES = OBJECT_SECTIONS + 6 * 64;

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
    file.putLong(SECTIONS + 3 * 64 + 48, 16);
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
        List.of("", ".names", ".about", ".bss"),
        elf.sections().stream().map(ElfFile.Section::name).toList());
    assertEquals("text", text(elf.sections().get(2).content()));
    assertTrue(elf.sections().get(2).content().isReadOnly());
    ElfFile.Section zeros = elf.sections().get(3);
    assertEquals(1 << 30, zeros.length());
    assertEquals(16, zeros.alignment());
    assertEquals(0, zeros.content().remaining(), "it is not in the file");
  }

  @Test
  void aSectionWithoutContentIsGivenAnotherLength() {
    ByteBuffer file = file();
    ElfFile changed = elf(file).withLength(3, 192);
    assertEquals(192, changed.sections().get(3).length());
    assertEquals(file().putLong(SECTIONS + 3 * 64 + 32, 192), changed.bytes());
    assertEquals(file(), file, "the other one stays as it is");
    assertThrowsWith("section 2 has content", () -> changed.withLength(2, 192));
    assertThrowsWith("section 4 of 4", () -> changed.withLength(4, 192));
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
    assertThrowsWith(message, elf(bytes)::sections);
  }

  /**
   * Symbols without a name, in section 4, without a section, and in a section whose index is
   * elsewhere; relocations of section 4; and the sections' number and names in the first section.
   */
  private static ByteBuffer objectFile() {
    ByteBuffer file = ByteBuffer.allocate(OBJECT_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    file.putInt(0, 0x464C457F).putShort(4, (short) 0x0102).putShort(18, (short) 62);
    file.putLong(40, OBJECT_SECTIONS).putShort(58, (short) 64).putShort(62, (short) -1);
    file.putLong(OBJECT_SECTIONS + 32, 6).putInt(OBJECT_SECTIONS + 40, 1);
    put(file, NAMES, "\0first\0absolute\0last.1\0");
    objectSection(file, 1, 3, NAMES, 23, 0, 0);
    objectSection(file, 2, 2, OBJECT_SYMBOLS, 4 * 24, 1, 0);
    objectSection(file, 3, 4, OBJECT_RELOCATIONS, 2 * 24, 2, 4);
    objectSection(file, 4, 1, TEXT, 4, 0, 0);
    objectSection(file, 5, 18, OBJECT_INDEXES, 4 * 4, 2, 0);
    symbol(file, 1, 1, 4);
    symbol(file, 2, 7, 0xFFF1);
    symbol(file, 3, 16, 0xFFFF);
    file.put(OBJECT_SYMBOLS + 24 + 4, (byte) (1 << 4 | ElfFile.SYMBOL_OF_THREAD)); // a global one
    file.putLong(OBJECT_SYMBOLS + 24 + 8, 64).putLong(OBJECT_SYMBOLS + 24 + 16, 48);
    file.putInt(OBJECT_INDEXES + 3 * 4, 5);
    file.putInt(OBJECT_RELOCATIONS + 12, 3).putInt(OBJECT_RELOCATIONS + 24 + 12, 2);
    return file;
  }

  private static void objectSection(
      ByteBuffer file, int index, int type, long offset, long length, int link, int info) {
    int at = OBJECT_SECTIONS + 64 * index;
    file.putInt(at + 4, type).putLong(at + 24, offset).putLong(at + 32, length);
    file.putInt(at + 40, link).putInt(at + 44, info);
  }

  private static void symbol(ByteBuffer file, int index, int name, int section) {
    int at = OBJECT_SYMBOLS + 24 * index;
    file.putInt(at, name).putShort(at + 6, (short) section);
  }

  private static int header(int section) {
    return OBJECT_SECTIONS + 64 * section;
  }

  @Test
  void symbolsAndRelocationsAreRead() {
    ElfFile elf = elf(objectFile());
    assertEquals(
        List.of(
            new ElfFile.Symbol("", 0, 0, 0, 0),
            new ElfFile.Symbol("first", ElfFile.SYMBOL_OF_THREAD, 4, 64, 48),
            new ElfFile.Symbol("absolute", 0, 0, 0, 0),
            new ElfFile.Symbol("last.1", 0, 5, 0, 0)),
        elf.symbols());
    assertEquals(
        List.of(new ElfFile.Relocation(4, 3), new ElfFile.Relocation(4, 2)), elf.relocations());
    assertEquals(6, elf.sections().size(), "their number is in the first one");
  }

  @Test
  void aFileWithoutSymbolsHasNoRelocations() {
    for (ByteBuffer bytes : List.of(file(), objectFile().putInt(header(2) + 4, 11))) {
      assertEquals(List.of(), elf(bytes).symbols());
      assertEquals(List.of(), elf(bytes).relocations(), "those of a loader are none of these");
    }
    ByteBuffer ofOthers = objectFile().putInt(header(3) + 40, 1);
    assertEquals(List.of(), elf(ofOthers).relocations(), "they refer to another table");
  }

  @Test
  void damagedSymbolsAreRefused() {
    assertNoSymbols(objectFile().putInt(header(2) + 40, 6), "section 6 of 6 should name the");
    assertNoSymbols(objectFile().putInt(header(2) + 40, -1), "section -1 of 6 should name the");
    assertNoSymbols(objectFile().putLong(header(2) + 32, 4 * 24 - 1), "has entries of 24");
    assertNoSymbols(objectFile().putInt(header(5) + 40, 3), "lacks the sections of symbols");
    assertNoSymbols(objectFile().putLong(header(5) + 32, 12), "no 4 bytes at 12, but 12");
    assertNoSymbols(objectFile().putInt(OBJECT_INDEXES + 12, 6), "section 6 of 6 should define");
    assertNoSymbols(objectFile().putInt(OBJECT_SYMBOLS + 24, 24), "bytes at 24, but 23");
    assertNoSymbols(objectFile().putLong(OBJECT_SECTIONS + 32, 7), "bytes at " + OBJECT_BYTES);
    assertNoSymbols(objectFile().putLong(OBJECT_SECTIONS + 32, Long.MAX_VALUE), "bytes at ");
    assertNoSymbols(
        objectFile().putLong(OBJECT_SECTIONS + 32, -1), "it has 18446744073709551615 sections");
  }

  private static void assertNoSymbols(ByteBuffer bytes, String message) {
    assertThrowsWith(message, elf(bytes)::symbols);
  }

  @Test
  void damagedRelocationsAreRefused() {
    assertNoRelocations(objectFile().putInt(OBJECT_RELOCATIONS + 12, 4), "no symbol 4 of 4");
    assertNoRelocations(objectFile().putInt(OBJECT_RELOCATIONS + 12, -1), "no symbol -1 of 4");
    assertNoRelocations(objectFile().putInt(header(3) + 44, 6), "section 6 of 6 should be");
    assertNoRelocations(objectFile().putLong(header(3) + 32, 25), "has entries of 24");
    assertNoRelocations(objectFile().putLong(header(3) + 24, OBJECT_BYTES - 47), "no 48 bytes");
  }

  private static void assertNoRelocations(ByteBuffer bytes, String message) {
    assertThrowsWith(message, elf(bytes)::relocations);
  }

  private static void assertThrowsWith(String message, Executable call) {
    IllegalArgumentException thrown = assertThrows(IllegalArgumentException.class, call);
    assertTrue(String.valueOf(thrown.getMessage()).contains(message), thrown::getMessage);
  }

  @Test
  void damagedFilesThrowNothingElse() {
    Random random = new Random(1);
    for (int i = 0; i < 20_000; i++) {
      ByteBuffer bytes = i % 2 == 0 ? file() : objectFile();
      for (int n = random.nextInt(4); n >= 0; n--) {
        bytes.put(random.nextInt(bytes.capacity()), (byte) random.nextInt());
      }
      ElfFile elf = ElfFile.of(bytes);
      if (elf == null) {
        continue;
      }
      try {
        elf.segments().forEach(elf::content);
        elf.sections();
        elf.symbols();
        elf.relocations();
      } catch (IllegalArgumentException e) {
        continue;
      }
    }
  }
}
