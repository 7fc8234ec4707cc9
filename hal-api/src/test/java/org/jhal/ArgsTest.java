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
  void refusesAnythingElseAndNamesItsPlace() {
    for (Object wrong : List.of("text", 'c', true, BigInteger.ONE, new int[1], Args.NONE)) {
      HalException refused = assertThrows(HalException.class, () -> Args.of(1, wrong));

      assertEquals(Status.INVALID_ARGUMENT, refused.status());
      assertEquals(
          "argument 1 is a "
              + wrong.getClass().getName()
              + "; it may be a buffer, a slot or a boxed number",
          refused.getMessage());
    }
  }

  @Test
  void takesArgumentsByName() {
    Kernel kernel = Fakes.kernel("saxpy", "n", "a", "x");
    DeviceBuffer buffer = Fakes.buffer("b");

    Args args = Args.named(kernel).set("x", buffer).set("n", 4).set("a", 2.0).build();

    assertEquals("[4, 2.0, b]", args.toString());
    assertEquals(0, Args.named(Fakes.kernel("nothing")).build().size());
  }

  @Test
  void refusesNamesThatAreUnknownTwiceOrMissing() {
    Kernel kernel = Fakes.kernel("saxpy", "n", "a", "x");

    assertRefused(
        "saxpy has no parameter 'y'; it has [n, a, x]", () -> Args.named(kernel).set("y", 1));
    assertRefused(
        "parameter 'n' of saxpy is set twice",
        () -> Args.named(kernel).set("n", 1).set("a", 2).set("n", 1));
    assertRefused(
        "parameters of saxpy without an argument: [n, x]",
        () -> Args.named(kernel).set("a", 1).build());
    assertRefused(
        "argument 'n' is a java.lang.String; it may be a buffer, a slot or a boxed number",
        () -> Args.named(kernel).set("n", "1").set("a", 2).set("x", 3).build());
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
}
