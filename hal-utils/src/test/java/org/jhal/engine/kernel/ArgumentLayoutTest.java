// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jhal.ElementType;
import org.jhal.HalException;
import org.jhal.Parameter;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.engine.EngineDevice;
import org.jhal.engine.FakeBackend;
import org.jhal.engine.Inside;
import org.jhal.engine.queue.FakeStream.Event;
import org.jhal.kernels.bundle.ArgumentLayout;
import org.jhal.kernels.bundle.KernelSpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Rule M8: the offsets of arguments, and the bytes of constants. */
class ArgumentLayoutTest {
  private final EngineDevice<Event> device = new FakeBackend().open(1, Duration.ofSeconds(30));

  @AfterEach
  void close() {
    device.close();
  }

  private static Parameter constant(ElementType type) {
    return new Parameter("c", Parameter.Kind.CONSTANT, type, Parameter.Direction.IN);
  }

  private static Parameter buffer(ElementType type) {
    return new Parameter("b", Parameter.Kind.BUFFER, type, Parameter.Direction.IN);
  }

  private static ArgumentLayout layout(Parameter... parameters) {
    return ArgumentLayout.of(List.of(parameters));
  }

  @Test
  void noArgumentsTakeNoBytes() {
    assertEquals(0, layout().size());
  }

  /** The layout is that of {@code struct { int8 a; void *b; int16 c; double d; int32 e; }} in C. */
  @Test
  void argumentsAreAlignedToTheirSizeInOrder() {
    ArgumentLayout layout =
        layout(
            constant(ElementType.I8),
            buffer(ElementType.U8),
            constant(ElementType.I16),
            constant(ElementType.F64),
            constant(ElementType.U32));
    int[] offsets = new int[5];
    Arrays.setAll(offsets, layout::offset);
    assertArrayEquals(new int[] {0, 8, 16, 24, 32}, offsets);
    assertEquals(36, layout.size());
  }

  @Test
  void anArgumentIsAlignedAndDisjointInAnyOrder() {
    Random random = new Random(9);
    for (int round = 0; round < 200; round++) {
      List<Parameter> parameters = new ArrayList<>();
      for (int i = random.nextInt(12); i >= 0; i--) {
        ElementType type = ElementType.values()[random.nextInt(ElementType.values().length)];
        parameters.add(random.nextBoolean() ? constant(type) : buffer(type));
      }
      ArgumentLayout layout = ArgumentLayout.of(parameters);
      int end = 0;
      for (int i = 0; i < parameters.size(); i++) {
        boolean isBuffer = parameters.get(i).kind() == Parameter.Kind.BUFFER;
        int bytes = isBuffer ? 8 : parameters.get(i).type().bytes();
        assertEquals(0, layout.offset(i) % bytes, parameters + " at " + i);
        assertTrue(
            layout.offset(i) >= end && layout.offset(i) < end + bytes,
            "no more padding than needed");
        end = layout.offset(i) + bytes;
      }
      assertEquals(end, layout.size());
    }
  }

  // Constants.

  /** Packs a value between guard bytes and returns what was written. */
  private ByteBuffer pack(ElementType type, Object value) {
    List<Parameter> parameters =
        List.of(Parameter.constant("guard", ElementType.I64), constant(type));
    KernelSpec spec = new KernelSpec("f", parameters, new Workgroups(1, 1, 1), 0);
    EngineExecutable executable =
        new EngineExecutable(
            Inside.core(device), "bundle", "none", List.of(), List.of(spec), List.of(), () -> {});
    byte[] block = new byte[24];
    Arrays.fill(block, (byte) 0x55);
    Constants.pack((EngineKernel) executable.kernel("f"), 1, value, block);
    for (int i = 0; i < block.length; i++) {
      if (i < 8 || i >= 8 + type.bytes()) {
        assertEquals(0x55, block[i], "byte " + i + ", which is not the constant's");
      }
    }
    return ByteBuffer.wrap(block, 8, 16).slice().order(ByteOrder.nativeOrder());
  }

  @Test
  void floatsArePackedAsTheirBits() {
    assertEquals(0x7fc12345, pack(ElementType.F32, Float.intBitsToFloat(0x7fc12345)).getInt(0));
    assertEquals(-0.0, pack(ElementType.F64, -0.0).getDouble(0));
    assertEquals(1.5, pack(ElementType.F64, 1.5f).getDouble(0), "a float widens");
  }

  @ParameterizedTest
  @CsvSource({
    "I8, -128, 127",
    "U8, 0, 255",
    "I16, -32768, 32767",
    "U16, 0, 65535",
    "I32, -2147483648, 2147483647",
    "U32, 0, 4294967295",
    "I64, -9223372036854775808, 9223372036854775807",
    "U64, -9223372036854775808, 9223372036854775807"
  })
  void integersFitOrAreRefused(ElementType type, long low, long high) {
    for (long value : new long[] {low, low + 1, 0, high - 1, high}) {
      ByteBuffer packed = pack(type, value);
      long read =
          switch (type.bytes()) {
            case 1 -> packed.get(0);
            case 2 -> packed.getShort(0);
            case 4 -> packed.getInt(0);
            default -> packed.getLong(0);
          };
      long mask = type.bytes() == 8 ? -1 : (1L << (8 * type.bytes())) - 1;
      assertEquals(value & mask, read & mask, type + " " + value);
    }
    if (type.bytes() < 8) {
      for (long value : new long[] {low - 1, high + 1}) {
        HalException refused = assertThrows(HalException.class, () -> pack(type, value));
        assertEquals(Status.OUT_OF_RANGE, refused.status());
        assertEquals(
            "argument 1 of bundle:f, c: %s does not fit %s, which takes %s to %s"
                .formatted(value, type.label(), low, high),
            refused.getMessage());
      }
    }
  }

  @ParameterizedTest
  @EnumSource(ElementType.class)
  void otherTypesAreRefused(ElementType type) {
    for (Object value : List.of("1", 'x', true, new int[1])) {
      HalException refused = assertThrows(HalException.class, () -> pack(type, value));
      assertEquals(Status.INVALID_ARGUMENT, refused.status());
      assertTrue(
          refused
              .getMessage()
              .startsWith("argument 1 of bundle:f, c: constant of type " + type.label()),
          refused.getMessage());
    }
  }

  @Test
  void numbersAreNotConvertedSilently() {
    assertThrows(HalException.class, () -> pack(ElementType.F32, 0.1));
    assertEquals(0.5f, pack(ElementType.F32, 0.5).getFloat(0));
    assertThrows(HalException.class, () -> pack(ElementType.F32, 1));
    assertThrows(HalException.class, () -> pack(ElementType.F64, 1L));
    assertThrows(HalException.class, () -> pack(ElementType.I32, 1.0f));
    assertEquals(7, pack(ElementType.I64, (byte) 7).getLong(0));
    assertEquals(7, pack(ElementType.U16, (short) 7).getShort(0));
  }
}
