// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.kernel;

import static org.jhal.ElementType.BF16;
import static org.jhal.ElementType.F16;
import static org.jhal.ElementType.F32;
import static org.jhal.ElementType.F64;
import static org.jhal.ElementType.I32;
import static org.jhal.ElementType.U16;
import static org.jhal.ElementType.U8;
import static org.jhal.Parameter.constant;
import static org.jhal.Parameter.out;
import static org.jhal.Parameter.struct;
import static org.jhal.StructType.DIM3;
import static org.jhal.StructType.FLOAT3;
import static org.jhal.StructType.FLOAT4;
import static org.jhal.StructType.INT2;
import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.floats;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.stream.IntStream;
import org.jhal.Args;
import org.jhal.BundleBuilder;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.Status;
import org.jhal.StructType;
import org.jhal.StructValue;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.kernel.Floats;
import org.jhal.kernel.KernelStruct;
import org.jhal.kernel.Workgroup;
import org.junit.jupiter.api.Test;

/** Structs that kernels take by value. */
@CtsSuite
class StructArgumentTest {
  private static final StructType CAMERA =
      StructType.builder()
          .add("tag", U8)
          .add("eye", FLOAT3)
          .add("zoom", F64)
          .add("tiles", I32, 2)
          .add("edges", FLOAT4, 2)
          .add("on", U8)
          .build();

  private static final StructValue VALUE =
      CAMERA.value(
          200,
          FLOAT3.value(0.5f, -1f, 2f),
          0.25,
          -7,
          8,
          FLOAT4.value(1f, 2f, 3f, 4f),
          FLOAT4.value(5f, 6f, 7f, 8f),
          1);

  private static final String SOURCE =
      """
      struct Camera {
        unsigned char tag;
        float3 eye;
        double zoom;
        int tiles[2];
        float4 edges[2];
        unsigned char on;
      };
      extern "C" __global__ void look(unsigned char first, float4 a, unsigned short second, Camera c, int2 b, float* to,
                                      dim3 size, unsigned char last) {
        float all[] = {(float)first, a.x, a.y, a.z, a.w, (float)second, (float)c.tag, c.eye.x, c.eye.y, c.eye.z, (float)c.zoom,
                       (float)c.tiles[0], (float)c.tiles[1], c.edges[0].x, c.edges[0].w, c.edges[1].x, c.edges[1].w,
                       (float)c.on, (float)b.x, (float)b.y, (float)size.x, (float)size.y, (float)size.z, (float)last};
        for (int i = 0; i < 24; i++) to[i] = all[i];
      }
      """;

  /** The arguments of the kernel of this source. */
  private static final int LOOK_BYTES = 157;

  private static final byte[] EXPECTED =
      floats(
          255, 1, 2, 3, 4, 65535, 200, 0.5f, -1, 2, 0.25f, -7, 8, 1, 4, 5, 8, 1, -1, -2, 16, 17, 18,
          254);

  /** The kernels in Java. */
  public static final class InJava {
    private InJava() {}

    /** Writes what it gets. */
    public static void look(
        Workgroup group,
        int first,
        KernelStruct a,
        int second,
        KernelStruct c,
        KernelStruct b,
        Floats to,
        KernelStruct size,
        int last) {
      int eye = c.index("eye");
      int tiles = c.index("tiles");
      int edges = c.index("edges");
      float[] all = {
        first,
        a.f32(0),
        a.f32(1),
        a.f32(2),
        a.f32(3),
        second,
        c.i32(0),
        c.f32(eye),
        c.f32(eye + 1),
        c.f32(eye + 2),
        (float) c.f64(c.index("zoom")),
        c.i32(tiles),
        c.i32(tiles + 1),
        c.f32(edges),
        c.f32(edges + 3),
        c.f32(edges + 4),
        c.f32(edges + 7),
        c.i32(c.index("on")),
        b.i32(0),
        b.i32(1),
        size.i64(0),
        size.i64(1),
        size.i32(2),
        last
      };
      for (int i = 0; i < all.length; i++) {
        to.set(i, all[i]);
      }
    }
  }

  private static BundleBuilder look() {
    return ExecutableSource.builder("structs")
        .kernel(
            "look",
            1,
            constant("first", U8),
            struct("a", FLOAT4),
            constant("second", U16),
            struct("c", CAMERA),
            struct("b", INT2),
            out("to", F32),
            struct("size", DIM3),
            constant("last", U8));
  }

  private static Kernel loadLook(Cts cts) {
    cts.needsFormat("java", "gpu-c++");
    int most = cts.device().info().maxArgumentBytes();
    if (most < LOOK_BYTES) {
      throw Cts.unsupported("the device passes " + most + " bytes of arguments, not " + LOOK_BYTES);
    }
    ExecutableSource source = look().cpp(SOURCE).java(InJava.class).build();
    return cts.closing(cts.device().loadExecutable(source)).kernel("look");
  }

  private static Object[] values(DeviceBuffer to) {
    return new Object[] {
      255,
      FLOAT4.value(1f, 2f, 3f, 4f),
      65535,
      VALUE,
      INT2.value(-1, -2),
      to,
      DIM3.value(16, 17, 18),
      254
    };
  }

  private static void dispatch(Cts cts, Kernel kernel, Object... values) {
    TimelineSemaphore done = cts.semaphore();
    cts.queue().dispatch(Fence.NONE, done.at(1), kernel, Workgroups.of(1), Args.of(values));
    awaitReached(done, 1);
  }

  @Test
  @Rule("M8")
  void structsArriveAsDeclared(Cts cts) {
    Kernel look = loadLook(cts);
    assertEquals(struct("a", FLOAT4), look.parameters().get(1));
    assertEquals(struct("c", CAMERA), look.parameters().get(3));
    assertEquals(80, CAMERA.bytes());
    DeviceBuffer to = cts.buffer(new byte[96]);
    dispatch(cts, look, values(to));
    assertBytes(EXPECTED, cts.read(to), "the scalars of all arguments");
    DeviceBuffer again = cts.buffer(new byte[96]);
    Args.Named named = Args.named(look);
    for (int i = 0; i < 8; i++) {
      named.set(look.parameters().get(i).name(), values(again)[i]);
    }
    TimelineSemaphore done = cts.semaphore();
    cts.queue().dispatch(Fence.NONE, done.at(1), look, Workgroups.of(1), named.build());
    awaitReached(done, 1);
    assertBytes(EXPECTED, cts.read(again), "arguments by name");
  }

  /** The suite's own kernel, which a driver has in its own format. */
  @Test
  @Rule("M8")
  void structsArriveInEachFormat(Cts cts) {
    StructType mixed =
        StructType.builder()
            .add("tag", U8)
            .add("eye", FLOAT3)
            .add("tiles", I32, 2)
            .add("zoom", F64)
            .add("on", U8)
            .build();
    for (ExecutableSource source : cts.backend().kernels()) {
      Executable kernels = cts.closing(cts.device().loadExecutable(source));
      DeviceBuffer to = cts.buffer(new byte[4 * 18]);
      dispatch(
          cts,
          kernels.kernel("write_structs"),
          255,
          FLOAT4.value(1f, 2f, 3f, 4f),
          65535,
          mixed.value(200, FLOAT3.value(0.5f, -1f, 2f), -7, 8, 0.25, 1),
          to,
          DIM3.value(16, 17, 18),
          254);
      assertBytes(
          floats(255, 1, 2, 3, 4, 65535, 200, 0.5f, -1, 2, -7, 8, 0.25f, 1, 16, 17, 18, 254),
          cts.read(to),
          "the scalars of all arguments, by " + kernels.format());
    }
  }

  @Test
  @Rule({"M5", "M8"})
  void moreBytesOfArgumentsThanTheDeviceTakesAreRejected(Cts cts) {
    int most = cts.device().info().maxArgumentBytes();
    if (most == Integer.MAX_VALUE) {
      throw Cts.unsupported("the device does not limit the bytes of arguments");
    }
    String kernel =
        """
        {"name": "append",
         "parameters": [
           {"name": "list", "kind": "buffer", "type": "u32", "direction": "inout"},
           {"name": "value", "kind": "constant", "type": "u32"},
           {"name": "more", "kind": "struct", "fields": [{"name": "bytes", "type": "u8", "count": %s}]}],
         "workgroupSize": [1, 1, 1]}
        """
            .formatted(Math.max(1, most - 11)); // 12 bytes lie before it
    BundleFolder bundle =
        BundleFolder.kernels(
            cts, manifest -> BundleFolder.replaceKernel(manifest, "append", kernel));
    long before = cts.device().statistics().executables();
    assertHal(
        Status.OUT_OF_RANGE,
        () -> cts.closing(cts.device().loadExecutable(bundle.source())),
        "append",
        String.valueOf(most + 1),
        String.valueOf(most));
    assertEquals(before, cts.device().statistics().executables(), "executables");
  }

  private static boolean isReal(StructType vector) {
    ElementType element = vector.fields().get(0).type();
    return element == F32 || element == F64;
  }

  /** One kernel for each vector type, which is between two bytes. */
  @Test
  @Rule("M8")
  void vectorsOfAllTypesArrive(Cts cts) {
    cts.needsFormat("java", "gpu-c++");
    BundleBuilder bundle = ExecutableSource.builder("vectors");
    StringBuilder code = new StringBuilder();
    for (StructType type : StructType.vectors()) {
      String name = "take_" + type;
      bundle.kernel(
          name,
          1,
          constant("before", U8),
          struct("v", type),
          constant("after", U8),
          out("to", F64));
      code.append("extern \"C\" __global__ void %s".formatted(name))
          .append("(unsigned char before, %s v, unsigned char after, double* to) {".formatted(type))
          .append(" to[0] = before; to[1] = after;");
      for (int i = 0; i < type.scalars(); i++) {
        code.append(" to[%s] = (double)v.%s;".formatted(2 + i, type.fields().get(i).name()));
      }
      code.append(" }\n");
      bundle.java(
          name,
          group -> {
            KernelStruct v = group.struct(1);
            group.memory(3).doubles().set(0, group.i32(0));
            group.memory(3).doubles().set(1, group.i32(2));
            boolean isReal = isReal(type);
            for (int i = 0; i < v.size(); i++) {
              group.memory(3).doubles().set(2 + i, isReal ? v.f64(i) : v.i64(i));
            }
          });
    }
    ExecutableSource source = bundle.cpp(code.toString()).build();
    Executable kernels = cts.closing(cts.device().loadExecutable(source));
    for (StructType type : StructType.vectors()) {
      DeviceBuffer to = cts.buffer(new byte[8 * 6]);
      ElementType element = type.fields().get(0).type();
      boolean isReal = isReal(type);
      Object[] numbers =
          IntStream.range(0, type.scalars())
              .mapToObj(i -> isReal ? (Object) (i + 0.5) : (Object) (i + 100))
              .toArray();
      dispatch(cts, kernels.kernel("take_" + type), 201, type.value(numbers), 202, to);
      ByteBuffer expected = ByteBuffer.allocate(8 * 6).order(ByteOrder.nativeOrder());
      expected.putDouble(201).putDouble(202);
      for (Object number : numbers) {
        expected.putDouble(((Number) number).doubleValue());
      }
      assertBytes(expected.array(), cts.read(to), type.name());
    }
  }

  @Test
  @Rule("M8")
  void structsOf16BitFloatTypesArriveUnchanged(Cts cts) {
    cts.needsFormat("java", "gpu-c++");
    StructType type = StructType.builder().add("h", F16).add("b", BF16).alignment(8).build();
    ExecutableSource source =
        ExecutableSource.builder("small")
            .kernel("small", 1, constant("before", U8), struct("s", type), out("to", U16))
            .cpp(
                """
                struct alignas(8) Small { unsigned short h, b; };
                extern "C" __global__ void small(unsigned char before, Small s, unsigned short* to) {
                  to[0] = s.h;
                  to[1] = s.b;
                }
                """)
            .java(
                "small",
                group -> {
                  group.memory(2).float16s().set(0, group.struct(1).f32(0));
                  group.memory(2).bfloat16s().set(1, group.struct(1).f32(1));
                })
            .build();
    Kernel small = cts.closing(cts.device().loadExecutable(source)).kernel("small");
    DeviceBuffer to = cts.buffer(new byte[4]);
    dispatch(cts, small, 1, type.value(1.5f, -0.25), to);
    byte[] expected = {0x00, 0x3E, (byte) 0x80, (byte) 0xBE};
    assertBytes(expected, cts.read(to), "the bits of both");
  }

  @Test
  @Rule("M5")
  void valuesThatDoNotFitAreRejected(Cts cts) {
    Kernel look = loadLook(cts);
    DeviceBuffer to = cts.buffer(new byte[96]);
    Object[] values = values(to);
    StructType pair = StructType.builder().add("x", I32).add("y", I32).build();
    assertRejected(
        cts, look, values, 4, pair.value(1, 2), Status.INVALID_ARGUMENT, "another layout");
    assertRejected(cts, look, values, 4, 7, Status.INVALID_ARGUMENT, "int2 needs a StructValue");
    assertRejected(cts, look, values, 0, VALUE, Status.INVALID_ARGUMENT, "constant of type u8");
    assertRejected(cts, look, values, 5, VALUE, Status.INVALID_ARGUMENT, "argument 5");
    StructValue large = INT2.value(1, 1L << 31);
    assertRejected(
        cts, look, values, 4, large, Status.OUT_OF_RANGE, "b.y: 2147483648 does not fit i32");
    StructValue real = INT2.value(1, 0.5);
    assertRejected(
        cts, look, values, 4, real, Status.INVALID_ARGUMENT, "b.y: constant of type i32");
    StructValue rounded = FLOAT4.value(1f, 2f, 3f, 0.1);
    assertRejected(cts, look, values, 1, rounded, Status.OUT_OF_RANGE, "a.w: the double 0.1");
    assertHal(Status.INVALID_ARGUMENT, () -> INT2.value(1, 2, 3), "int2 has 2 scalars, not 3");
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> Args.named(look).set("b", 7),
        "a struct of type int2 takes a StructValue");
  }

  private static void assertRejected(
      Cts cts,
      Kernel kernel,
      Object[] good,
      int index,
      Object wrong,
      Status status,
      String message) {
    Object[] values = good.clone();
    values[index] = wrong;
    TimelineSemaphore done = cts.semaphore();
    Workgroups one = Workgroups.of(1);
    assertHal(
        status,
        () -> cts.queue().dispatch(Fence.NONE, done.at(1), kernel, one, Args.of(values)),
        "argument " + index,
        message);
  }

  /** A struct of the same fields with other names is the same to a kernel. */
  @Test
  @Rule("M8")
  void namesOfFieldsDoNotMatter(Cts cts) {
    Kernel look = loadLook(cts);
    DeviceBuffer to = cts.buffer(new byte[96]);
    Object[] values = values(to);
    values[4] =
        StructType.builder().add("left", I32).add("right", I32).alignment(8).build().value(-1, -2);
    dispatch(cts, look, values);
    assertBytes(EXPECTED, cts.read(to), "with other names");
  }

  @Test
  @Rule("M8")
  void kernelsInJavaWithOtherTypesAreRejected(Cts cts) {
    cts.needsFormat("java");
    ExecutableSource wrong =
        ExecutableSource.builder("wrong")
            .kernel(
                "look", 1, List.of(constant("a", F32), struct("b", INT2)).toArray(new Parameter[0]))
            .java(WrongTypes.class)
            .build();
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> cts.device().loadExecutable(wrong),
        "'b'",
        "struct of int2",
        "KernelStruct");
  }

  /** A kernel that takes a number for a struct. */
  public static final class WrongTypes {
    private WrongTypes() {}

    /** Is not loaded. */
    public static void look(Workgroup group, float a, long b) {}
  }
}
