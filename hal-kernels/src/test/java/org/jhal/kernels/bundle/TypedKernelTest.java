// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.bundle;

import static org.jhal.ElementType.F32;
import static org.jhal.ElementType.F64;
import static org.jhal.ElementType.I32;
import static org.jhal.ElementType.I64;
import static org.jhal.ElementType.U16;
import static org.jhal.ElementType.U8;
import static org.jhal.Parameter.constant;
import static org.jhal.Parameter.in;
import static org.jhal.Parameter.inout;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.invoke.MethodHandle;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.Parameter;
import org.jhal.Status;
import org.jhal.kernel.Bytes;
import org.jhal.kernel.Doubles;
import org.jhal.kernel.Floats;
import org.jhal.kernel.Ints;
import org.jhal.kernel.KernelMemory;
import org.jhal.kernel.Longs;
import org.jhal.kernel.Shorts;
import org.jhal.kernel.Workgroup;
import org.junit.jupiter.api.Test;

/** Kernels in Java that take their parameters as typed values and views. */
class TypedKernelTest {
  /** Memory of 16 bytes for each parameter. */
  private static final List<ByteBuffer> MEMORY =
      List.of(bytes(), bytes(), bytes(), bytes(), bytes(), bytes(), bytes());

  private static ByteBuffer bytes() {
    return ByteBuffer.allocate(16).order(ByteOrder.nativeOrder());
  }

  /** Kernels. */
  public static final class Kernels {
    private Kernels() {}

    /** Each type of a constant. */
    public static void constants(
        Workgroup group, int a, long b, long c, float d, double e, double f, Longs out) {
      out.set(0, a + b + c);
      out.set(1, (long) (10 * (d + e + f)));
    }

    /** Each view. */
    public static void views(
        Workgroup group,
        Bytes a,
        Shorts b,
        Ints c,
        Longs d,
        Floats e,
        Doubles f,
        KernelMemory untyped) {
      long sum = a.length() + b.length() + c.length() + d.length() + e.length() + f.length();
      a.set(15, (byte) -1);
      b.set(7, (short) -1);
      c.set(3, -1);
      d.set(1, sum);
      e.set(3, c.get(3) + a.getUnsigned(15));
      f.set(1, b.getUnsigned(7) + 0.5);
      untyped.putLong(0, c.getUnsigned(3) + c.getAndAdd(2, 5) + c.get(2));
    }

    /** Not this one, as the other takes the workgroup alone. */
    public static void chosen(Workgroup group, int a) {
      throw new AssertionError();
    }

    /** This one. */
    public static void chosen(Workgroup group) {
      group.memory(0).putInt(0, 7);
    }

    /** Throws what the kernel throws. */
    public static void outside(Workgroup group, Floats x) {
      x.get(Long.MAX_VALUE / 2 + 1); // 4 times this is 0 in 64 bits
    }

    /** No kernel. */
    public static void other(int a, Floats b) {}

    /** For an i32. */
    public static void overloaded(Workgroup group, int a) {
      MEMORY.get(0).putInt(0, 1);
    }

    /** For an i64, or an i32. */
    public static void overloaded(Workgroup group, long a) {
      MEMORY.get(0).putInt(0, 2);
    }

    /** For two parameters. */
    public static void overloaded(Workgroup group, int a, Ints b) {
      MEMORY.get(0).putInt(0, 3);
    }

    /** No kernel, as it is not public. */
    static void overloaded(Workgroup group) {}
  }

  private static Workgroup group() {
    return (Workgroup)
        Proxy.newProxyInstance(
            Workgroup.class.getClassLoader(),
            new Class<?>[] {Workgroup.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "i32" -> 1 + (int) arguments[0];
                  case "i64" -> 1L + (int) arguments[0];
                  case "f32" -> 1f + (int) arguments[0];
                  case "f64" -> 1.0 + (int) arguments[0];
                  case "memory" -> memory(MEMORY.get((int) arguments[0]));
                  default -> throw new AssertionError(method);
                });
  }

  private static KernelMemory memory(ByteBuffer bytes) {
    return (KernelMemory)
        Proxy.newProxyInstance(
            KernelMemory.class.getClassLoader(),
            new Class<?>[] {KernelMemory.class},
            (proxy, method, a) -> {
              if (method.isDefault()) {
                return InvocationHandler.invokeDefault(proxy, method, a);
              }
              int at = a == null ? 0 : Math.toIntExact((long) a[0]);
              return switch (method.getName()) {
                case "size" -> (long) bytes.capacity();
                case "getByte" -> bytes.get(at);
                case "getShort" -> bytes.getShort(at);
                case "getInt" -> bytes.getInt(at);
                case "getLong" -> bytes.getLong(at);
                case "putByte" -> bytes.put(at, (byte) a[1]);
                case "putShort" -> bytes.putShort(at, (short) a[1]);
                case "putInt" -> bytes.putInt(at, (int) a[1]);
                case "putLong" -> bytes.putLong(at, (long) a[1]);
                case "putFloat" -> bytes.putFloat(at, (float) a[1]);
                case "putDouble" -> bytes.putDouble(at, (double) a[1]);
                case "getAndAddInt" -> {
                  int before = bytes.getInt(at);
                  bytes.putInt(at, before + (int) a[1]);
                  yield before;
                }
                default -> throw new AssertionError(method);
              };
            });
  }

  private static MethodHandle load(String kernel, Parameter... parameters) {
    ExecutableSource source =
        ExecutableSource.builder("b").kernel(kernel, 1, parameters).java(Kernels.class).build();
    Manifest manifest = Manifest.read(source);
    return JavaKernels.load(source, manifest.variants().get(0), manifest.kernels()).get(0);
  }

  private static void assertRefused(
      String part, String secondPart, String kernel, Parameter... parameters) {
    HalException refused = assertThrows(HalException.class, () -> load(kernel, parameters));
    assertEquals(Status.INVALID_ARGUMENT, refused.status());
    assertTrue(refused.getMessage().contains(part), refused::getMessage);
    assertTrue(refused.getMessage().contains(secondPart), refused::getMessage);
    assertTrue(refused.getMessage().contains("class " + Kernels.class.getName()));
  }

  @Test
  void constantsArriveWithTheirTypes() throws Throwable {
    MethodHandle kernel =
        load(
            "constants",
            constant("a", U8),
            constant("b", U16),
            constant("c", I64),
            constant("d", F32),
            constant("e", F32),
            constant("f", F64),
            inout("out", I64));
    kernel.invokeExact(group());
    assertEquals(1 + 2 + 3, MEMORY.get(6).getLong(0));
    assertEquals(10 * (4 + 5 + 6), MEMORY.get(6).getLong(8));
  }

  @Test
  void viewsCountElements() throws Throwable {
    MethodHandle kernel =
        load(
            "views",
            inout("a", U8),
            inout("b", U16),
            inout("c", I32),
            inout("d", I64),
            inout("e", F32),
            inout("f", F64),
            inout("untyped", F32));
    MEMORY.get(2).putInt(8, 0);
    kernel.invokeExact(group());
    assertEquals(-1, MEMORY.get(0).get(15));
    assertEquals(-1, MEMORY.get(1).getShort(14));
    assertEquals(-1, MEMORY.get(2).getInt(12));
    assertEquals(16 + 8 + 4 + 2 + 4 + 2, MEMORY.get(3).getLong(8));
    assertEquals(254f, MEMORY.get(4).getFloat(12));
    assertEquals(65535.5, MEMORY.get(5).getDouble(8));
    assertEquals(0xFFFF_FFFFL + 5, MEMORY.get(6).getLong(0));
  }

  @Test
  void theFormThatTakesTheWorkgroupAloneComesFirst() throws Throwable {
    load("chosen", inout("x", I32)).invokeExact(group());
    assertEquals(7, MEMORY.get(0).getInt(0));
  }

  @Test
  void selectsTheOverloadThatMatchesTheParameters() throws Throwable {
    load("overloaded", constant("a", I64)).invokeExact(group());
    assertEquals(2, MEMORY.get(0).getInt(0));
    load("overloaded", constant("a", I32), inout("b", I32)).invokeExact(group());
    assertEquals(3, MEMORY.get(0).getInt(0));
    assertRefused(
        "has several methods overloaded, and the kernel may be ",
        "overloaded(Workgroup, int) or overloaded(Workgroup, long)",
        "overloaded",
        constant("a", I32));
    assertRefused(
        "has several methods overloaded, and the kernel is none of ",
        "overloaded(Workgroup, int), overloaded(Workgroup, long), overloaded(Workgroup, int, Ints)",
        "overloaded",
        in("x", F32));
  }

  @Test
  void anIndexWhoseOffsetOverflowsIsOutside() {
    MethodHandle kernel = load("outside", in("x", F32));
    IndexOutOfBoundsException thrown =
        assertThrows(IndexOutOfBoundsException.class, () -> kernel.invoke(group()));
    assertEquals("there is no element " + (Long.MAX_VALUE / 2 + 1), thrown.getMessage());
  }

  @Test
  void refusesParametersThatDifferFromTheManifest() {
    assertRefused(
        "has 1 parameter after the workgroup", "[x, y]", "outside", in("x", F32), in("y", F32));
    assertRefused(
        "takes a Floats for parameter 0, 'x', which is a buffer of i32",
        "it may be Ints or KernelMemory",
        "outside",
        in("x", I32));
    assertRefused(
        "which is a constant of f32", "it may be float or double", "outside", constant("x", F32));
    assertRefused("expected public static void other(Workgroup)", "other(int,", "other");
  }

  @Test
  void swappedParametersAreRefusedIfTheClassHasTheirNames() throws Exception {
    boolean hasNames =
        Kernels.class
            .getMethod("chosen", Workgroup.class, int.class)
            .getParameters()[1]
            .isNamePresent();
    Parameter[] swapped = {
      inout("a", U8),
      inout("b", U16),
      inout("c", I32),
      inout("d", I64),
      inout("f", F32),
      inout("e", F64),
      inout("untyped", F32)
    };
    if (hasNames) {
      assertRefused("takes 'e' as parameter 4", "[a, b, c, d, f, e, untyped]", "views", swapped);
    } else {
      load("views", swapped);
    }
  }
}
