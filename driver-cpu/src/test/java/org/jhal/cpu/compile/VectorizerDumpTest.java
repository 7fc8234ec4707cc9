// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.compile;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is taken for wrong; that GCC says so is tested with kernels, in vectors.cpp. */
class VectorizerDumpTest {
  @TempDir private Path folder;

  private boolean isWrong(Stream<String> notes) throws IOException {
    Path dump = folder.resolve("dump");
    Files.writeString(
        dump, notes.map(note -> note + "\n").collect(Collectors.joining()), StandardCharsets.UTF_8);
    return VectorizerDump.showsWrongCode(dump);
  }

  /** The statement, and what the dump names as its operands. */
  private boolean isWrong(String place, String statement, String... operands) throws IOException {
    return isWrong(
        Stream.concat(
            Stream.of(place + ": note:   worklist: examine stmt: " + statement),
            Arrays.stream(operands)
                .map(
                    each ->
                        place
                            + ": note:   vect_is_simple_use: operand "
                            + each
                            + ", type of def: internal")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "_1 > 40",
        "_1 == 0",
        "_1 != _2",
        "x_3 < 1.0e+0",
        "_1 u>= 1.0e+0",
        "_1 u< _2",
        "_1 u== _2",
        "_1 <> _2",
        "_1 unord _2",
        "_1 ord _1",
        "_1 | _2",
        "_1 & _2",
        "_1 & is_2(D)",
        "~_1"
      })
  void anOffsetThatIsAComparison(String offset) throws IOException {
    for (String load : new String[] {"_4 = *_3;", "_4 = _3->x;", "_4 = s[_3];"}) {
      assertEquals(true, isWrong("a.cpp:3:4", load, offset), load);
    }
    assertEquals(true, isWrong("a.cpp:3:4", "_4 = .MASK_LOAD (_3, 32B, _9);", "_5 > 3", offset));
    assertEquals(true, isWrong("a.cpp:3:4", "*_3 = _4;", "_5 + 3", offset));
    assertEquals(true, isWrong("a.cpp:3:4", "_3->x = x_4(D);", "x_4(D)", offset));
    assertEquals(true, isWrong("a.cpp:3:4", "*_3 = 5;", offset), "a constant is no operand");
    assertEquals(
        true, isWrong("a.cpp:3:4", ".MASK_STORE (_3, 32B, _9, _4);", "_5 > 3", "_7 + 1", offset));
    assertEquals(true, isWrong("a.cpp:3:4", ".MASK_STORE (_3, 32B, _9, 5);", "_5 > 3", offset));
    assertEquals(
        true,
        isWrong("a.cpp:3:4", "VIEW_CONVERT_EXPR<unsigned char>(*_3) = _4;", "(int) _5", offset));
    assertEquals(true, isWrong("my own kernels.cu:3:4", "_4 = *_3;", offset));
  }

  @Test
  void aComparisonThatIsNoOffset() throws IOException {
    assertEquals(false, isWrong("a.cpp:3:4", "_4 = *_3;", "_1 << 2"));
    assertEquals(false, isWrong("a.cpp:3:4", "*_3 = _4;", "_5 > 3"));
    assertEquals(false, isWrong("a.cpp:3:4", "_3->x = _4;", "_5 > 3"));
    assertEquals(false, isWrong("a.cpp:3:4", "_4 = _5 > 3 ? _6 : 0;", "_5 > 3"));
    assertEquals(false, isWrong("a.cpp:3:4", "iftmp.1_4 = _5 & _6;", "_7 > 3", "_8 > 4"));
    assertEquals(false, isWrong("a.cpp:3:4", "_4 = iftmp.1_5 & _6;", "_7 > 3", "_8 > 4"));
    assertEquals(false, isWrong("a.cpp:3:4", "_4 = _5 ? 1.5e+0 : _6;", "_7 > 3"));
    assertEquals(false, isWrong("a.cpp:3:4", "_4 = .MASK_LOAD (_3, 32B, _9);", "_5 > 3"));
    assertEquals(false, isWrong("a.cpp:3:4", ".MASK_STORE (_3, 32B, _9, 5);", "_5 > 3"));
    assertEquals(false, isWrong("a.cpp:3:4", ".MASK_STORE (_3, 32B, _9, _4);", "_5 > 3", "_7 > 1"));
  }

  private Stream<String> offset(String offset) {
    return Stream.of(
        "a.cpp:3:4: note:   worklist: examine stmt: _4 = *_3;",
        "a.cpp:3:4: note:   vect_is_simple_use: operand " + offset + ", type of def: internal");
  }

  private Stream<String> chosen(String expression, String type) {
    return Stream.of(
        "a.cpp:3:4: note:   ==> examining statement: _7 = " + expression + ";",
        "a.cpp:3:4: note:   " + type);
  }

  private static Stream<String> lines(List<Stream<String>> parts) {
    return parts.stream().flatMap(part -> part);
  }

  @Test
  void bitsOfNumbers() throws IOException {
    Stream<String> next = Stream.of("", ";; Function g (g, funcdef_no=1, decl_uid=2)", "");
    String number = "get vectype for scalar type: int";
    String numbers = "get vectype for scalar type (group size 2): unsigned char";
    String truth = "vectype: vector(8) <signed-boolean:1>";
    String bool = "get vectype for scalar type: _Bool";
    assertEquals(
        false, isWrong(lines(List.of(offset("_1 & _2"), chosen("_1 & _2", number)))), "int");
    assertEquals(false, isWrong(lines(List.of(offset("~_1"), chosen("~_1", numbers)))), "char");
    assertEquals(true, isWrong(lines(List.of(offset("_1 & _2"), chosen("_1 & _2", truth)))));
    assertEquals(true, isWrong(lines(List.of(offset("_1 & _2"), chosen("_1 & _2", bool)))));
    assertEquals(true, isWrong(lines(List.of(offset("_1 & _2"), chosen("_1 & _5", number)))));
    assertEquals(
        true,
        isWrong(lines(List.of(chosen("_1 & _2", number), next, offset("_1 & _2")))),
        "the name is one of another function");
    assertEquals(true, isWrong(lines(List.of(offset("_1 > 2"), chosen("_1 > 2", number)))));
  }

  private Stream<String> node(String... masks) {
    return Stream.concat(
        Stream.of(
            "a.cpp:3:4: note:   Detected interleaving load of size 1",
            "a.cpp:3:4: note:   \t_4 = .MASK_LOAD (_3, 32B, _9);",
            "a.cpp:3:4: note:   op template: _4 = .MASK_LOAD (_3, 32B, _9);",
            "a.cpp:3:4: note:   \tstmt 0 _4 = .MASK_LOAD (_3, 32B, _9);",
            "a.cpp:3:4: note:   ------>vectorizing SLP node starting from: _4 = .MASK_LOAD (_3, 32B, _9);"),
        Arrays.stream(masks)
            .map(
                mask -> "a.cpp:3:4: note:   add new stmt: v = .MASK_LOAD (p, 32B, " + mask + ");"));
  }

  @Test
  void oneMaskForSeveralVectors() throws IOException {
    assertEquals(false, isWrong(node("mask_1")));
    assertEquals(false, isWrong(node("mask_1", "mask_2")));
    assertEquals(true, isWrong(node("mask_1", "mask_1")));
    assertEquals(false, isWrong(Stream.concat(node("mask_1"), node("mask_1"))), "two nodes");
  }

  /**
   * What GCC 12, 13 and 14 write about loops like those of findings/gcc-*.sh, with {@code -O3
   * -march=x86-64-v3 -fno-trapping-math}; lines that are not read are left out. GCC 14 makes right
   * code of a comparison that is a subscript, but writes the same.
   */
  @ParameterizedTest
  @CsvSource({
    "comparison-12, true",
    "comparison-13, true",
    "comparison-14, true",
    "order-12, true",
    "order-13, false",
    "order-14, false",
    "mask-12, true",
    "mask-13, true",
    "mask-14, false",
    "names-14, false"
  })
  void dumpsOfSeveralVersions(String name, boolean isWrong) throws IOException {
    Path dump = folder.resolve("dump");
    try (InputStream in = getClass().getResourceAsStream("dumps/" + name + ".txt")) {
      Files.copy(Objects.requireNonNull(in, name), dump);
    }
    assertEquals(isWrong, VectorizerDump.showsWrongCode(dump));
  }
}
