// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Objects;
import org.jhal.Parameter.Direction;
import org.jhal.Parameter.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Structs as values, and what their descriptions refuse. */
class StructTypeTest {
  private static final StructType PAIR =
      StructType.builder().add("n", ElementType.I64).add("x", ElementType.F64).build();

  @Test
  void valuesAreEqualWhateverTheirJavaTypesAre() {
    StructValue value = PAIR.value(1, 0.5f);
    assertEquals(value, PAIR.value(1L, 0.5));
    assertEquals(value.hashCode(), PAIR.value((byte) 1, 0.5).hashCode());
    assertNotEquals(value, PAIR.value(2, 0.5f));
    assertNotEquals(value, PAIR.value(1f, 0.5f)); // not an integer
    assertEquals(1, value.get(0));
  }

  private static void assertRefused(String part, Runnable body) {
    IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, body::run);
    String message = Objects.requireNonNull(refused.getMessage());
    assertTrue(message.contains(part), message);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 1, 0, 1 elements of 0 scalars",
    "5, 1, 0, 1 elements of 5 scalars",
    "1, -3, 0, -3 elements of 1 scalars",
    "1, 4097, 0, 4097 elements of 1 scalars",
    "1, 1, -8, offset -8",
    "1, 1, 4097, offset 4097"
  })
  void aFieldRefusesNumbersOutOfRange(int width, int count, int offset, String part) {
    assertRefused(part, () -> new StructType.Field("x", ElementType.F32, width, count, offset));
  }

  @Test
  void aParameterRefusesWhatItsKindDoesNotHave() {
    assertRefused(
        "struct of type F32",
        () -> new Parameter("s", Kind.STRUCT, ElementType.F32, Direction.IN, PAIR));
    assertRefused(
        "STRUCT with direction OUT",
        () -> new Parameter("s", Kind.STRUCT, ElementType.U8, Direction.OUT, PAIR));
    assertRefused(
        "CONSTANT with direction INOUT",
        () -> new Parameter("n", Kind.CONSTANT, ElementType.U32, Direction.INOUT));
    assertRefused(
        "CONSTANT of struct",
        () -> new Parameter("n", Kind.CONSTANT, ElementType.U8, Direction.IN, PAIR));
  }

  @Test
  void scalarsKnowTheirPlaces() {
    StructType type =
        StructType.builder()
            .add("eye", StructType.FLOAT3)
            .add("zoom", ElementType.F32)
            .add("tiles", ElementType.I32, 2)
            .build();
    assertEquals("tiles[1]", type.scalarName(5));
    assertEquals(20, type.offset(5));
    assertEquals("zoom", type.field(3).name());
    assertThrows(IndexOutOfBoundsException.class, () -> type.offset(6));
    assertThrows(IndexOutOfBoundsException.class, () -> type.field(-1));
  }
}
