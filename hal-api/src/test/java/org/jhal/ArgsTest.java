// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigInteger;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class ArgsTest {
  @Test
  void takesBuffersSlotsAndNumbers() {
    DeviceBuffer buffer = Fakes.buffer("b");
    Object[] given = {buffer, Slot.of(1), (byte) 1, (short) 2, 3, 4L, 5f, 6d};

    Args args = Args.of(given);
    given[0] = 7; // the arguments were copied

    assertEquals(8, args.size());
    assertSame(buffer, args.get(0));
    assertEquals(Slot.of(1), args.get(1));
    assertEquals((byte) 1, args.get(2));
    assertEquals((short) 2, args.get(3));
    assertEquals(3, args.get(4));
    assertEquals(4L, args.get(5));
    assertEquals(5f, args.get(6));
    assertEquals(6d, args.get(7));
    assertEquals(0, Args.NONE.size());
    assertEquals("[3, 0.5]", Args.of(3, 0.5).toString());
  }

  @Test
  void refusesAnyOtherObjectAndNamesItsIndex() {
    for (Object wrong : List.of("text", 'c', true, BigInteger.ONE, new int[1], Args.NONE)) {
      HalException refused = assertThrows(HalException.class, () -> Args.of(1, wrong));

      assertEquals(Status.INVALID_ARGUMENT, refused.status());
      assertEquals(
          "argument 1 is a "
              + wrong.getClass().getSimpleName()
              + "; it may be a buffer, a slot, a StructValue or a number"
              + (wrong instanceof int[] ? ": upload it first" : ""),
          refused.getMessage());
    }
  }

  @Test
  void takesArgumentsByName() {
    Kernel kernel =
        Fakes.kernelOf(
            "saxpy",
            Parameter.constant("n", ElementType.U32),
            Parameter.constant("a", ElementType.F32),
            Parameter.in("x", ElementType.F32));
    DeviceBuffer buffer = Fakes.buffer("b");

    Args args = Args.named(kernel).set("x", buffer).set("n", 4).set("a", 2.0).build();

    assertEquals("[4, 2.0, b]", args.toString());
    assertEquals(0, Args.named(Fakes.kernel("nothing")).build().size());
  }

  @Test
  void refusesUnknownRepeatedOrMissingNames() {
    Kernel kernel = Fakes.kernel("saxpy", "n", "a", "x");

    assertRefused(
        "saxpy has no parameter 'y'; it has [n, a, x]", () -> Args.named(kernel).set("y", 1));
    assertRefused(
        "parameter 'n' of saxpy is set twice",
        () -> Args.named(kernel).set("n", 1).set("a", 2).set("n", 1));
    assertRefused(
        "parameters of saxpy without an argument: [n, x]",
        () -> Args.named(kernel).set("a", 1).build());
  }

  /** At once, even if other arguments are still missing. */
  @Test
  void refusesAValueOfTheWrongTypeAndNamesIt() {
    Kernel kernel =
        Fakes.kernelOf(
            "mix",
            Parameter.constant("n", ElementType.U32),
            Parameter.constant("a", ElementType.BF16),
            Parameter.inout("x", ElementType.F64));
    DeviceBuffer buffer = Fakes.buffer("b");

    String n = "argument 'n' of mix: a constant of type u32 takes an Integer, Long, Short or Byte";
    assertRefused(n + ", got java.lang.String", () -> Args.named(kernel).set("n", "1"));
    assertRefused(n + ", got Double 4.0", () -> Args.named(kernel).set("n", 4.0));
    assertRefused(n + ", got b", () -> Args.named(kernel).set("n", buffer));
    String a = "argument 'a' of mix: a constant of type bf16 takes a Float or a Double";
    assertRefused(a + ", got Integer 2", () -> Args.named(kernel).set("a", 2));
    assertRefused(
        a + ", got java.math.BigInteger", () -> Args.named(kernel).set("a", BigInteger.ONE));
    String x = "argument 'x' of mix: a buffer of type f64 takes a DeviceBuffer or a Slot";
    assertRefused(x + ", got Long 7", () -> Args.named(kernel).set("x", 7L));
    assertRefused(x + ", got [F", () -> Args.named(kernel).set("x", new float[4]));
    // A refused value is not set.
    Args.Named named = Args.named(kernel).set("x", buffer);
    assertThrows(HalException.class, () -> named.set("n", "1"));
    assertEquals("[1, 0.5, b]", named.set("n", 1).set("a", 0.5).build().toString());
  }

  private static void assertRefused(String message, Executable call) {
    HalException refused = assertThrows(HalException.class, call);
    assertEquals(Status.INVALID_ARGUMENT, refused.status());
    assertEquals(message, refused.getMessage());
  }

  @Test
  void hasNoArgumentBeyondItsEnds() {
    Args args = Args.of(1, 2);

    assertThrows(IndexOutOfBoundsException.class, () -> args.get(2));
    assertThrows(IndexOutOfBoundsException.class, () -> args.get(-1));
  }

  @Test
  void takesTheBitsOfAnUnsignedNumber() {
    assertEquals(4_294_967_295L, Args.of(Args.u32(-1)).get(0));
    assertEquals(7L, Args.u32(7));
  }
}
