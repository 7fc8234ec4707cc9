// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.kernel;

import static org.jhal.Parameter.constant;
import static org.jhal.Parameter.inout;
import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.regex.Pattern;
import org.jhal.Args;
import org.jhal.BundleBuilder;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.kernel.Ints;
import org.jhal.kernel.Workgroup;
import org.junit.jupiter.api.Test;

/** Kernels in the program itself, without a folder or a manifest. */
@CtsSuite
class CodeKernelsTest {
  private static final String SOURCE =
      """
      extern "C" __global__ void add(int summand, int* data) {
        data[blockIdx.x] += summand;
      }
      """;

  private static BundleBuilder add() {
    return ExecutableSource.builder("add")
        .kernel("add", 1, constant("summand", ElementType.I32), inout("data", ElementType.I32));
  }

  private static void addInJava(Workgroup group) {
    Ints data = group.memory(1).ints();
    data.set(group.groupX(), data.get(group.groupX()) + group.i32(0));
  }

  /** Kernels in Java with typed parameters. */
  public static final class TypedKernels {
    private TypedKernels() {}

    /** Adds a summand to one element for each workgroup. */
    public static void add(Workgroup group, int summand, Ints data) {
      data.set(group.groupX(), data.get(group.groupX()) + summand);
    }
  }

  private static void assertAdds(Cts cts, Executable kernels) {
    Kernel add = kernels.kernel("add");
    DeviceBuffer data = cts.buffer(ints(1, 2, 3));
    TimelineSemaphore done = cts.semaphore();
    cts.queue().dispatch(Fence.NONE, done.at(1), add, Workgroups.of(3), Args.of(10, data));
    awaitReached(done, 1);
    assertBytes(ints(11, 12, 13), cts.read(data), "each one and 10");
  }

  @Test
  @Rule("M8")
  void codeKernelsLoadTheVariantForTheDevice(Cts cts) {
    cts.needsFormat("java", "gpu-c++");
    ExecutableSource source =
        add()
            .variant("no-such-format", new byte[] {1})
            .cpp(SOURCE)
            .java("add", CodeKernelsTest::addInJava)
            .build();
    Executable kernels = cts.closing(cts.device().loadExecutable(source));
    assertEquals(
        List.of(
            Parameter.constant("summand", ElementType.I32),
            Parameter.inout("data", ElementType.I32)),
        kernels.kernel("add").parameters());
    assertTrue(
        kernels.refusals().get(0).startsWith("no-such-format: "), kernels.refusals()::toString);
    assertAdds(cts, kernels);
    assertAdds(cts, cts.closing(cts.device().loadExecutable(source)));
  }

  @Test
  @Rule("M8")
  void kernelsInJavaMayHaveTypedParameters(Cts cts) {
    cts.needsFormat("java");
    Class<?> typed = TypedKernels.class;
    assertAdds(cts, cts.closing(cts.device().loadExecutable(add().java(typed).build())));
    ExecutableSource wrong =
        ExecutableSource.builder("wrong")
            .kernel("add", 1, constant("summand", ElementType.F32), inout("data", ElementType.I32))
            .java(typed)
            .build();
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> cts.device().loadExecutable(wrong),
        "'summand'",
        "constant of f32",
        "float or double");
  }

  @Test
  @Rule("M8")
  void constantsOf16BitFloatTypesArriveUnchanged(Cts cts) {
    cts.needsFormat("java", "gpu-c++");
    for (ElementType type : new ElementType[] {ElementType.F16, ElementType.BF16}) {
      ExecutableSource source =
          ExecutableSource.builder("small")
              .kernel("small", 1, constant("a", type), constant("b", type), inout("data", type))
              .cpp(
                  """
                  extern "C" __global__ void small(unsigned short a, unsigned short b, unsigned short* data) {
                    data[0] = a;
                    data[1] = b;
                  }
                  """)
              .java(
                  "small",
                  group -> {
                    if (type == ElementType.F16) {
                      group.memory(2).float16s().set(0, group.f32(0));
                      group.memory(2).float16s().set(1, (float) group.f64(1));
                    } else {
                      group.memory(2).bfloat16s().set(0, group.f32(0));
                      group.memory(2).bfloat16s().set(1, (float) group.f64(1));
                    }
                  })
              .build();
      Kernel small = cts.closing(cts.device().loadExecutable(source)).kernel("small");
      DeviceBuffer data = cts.buffer(new byte[4]);
      TimelineSemaphore done = cts.semaphore();
      Workgroups one = Workgroups.of(1);
      cts.queue().dispatch(Fence.NONE, done.at(1), small, one, Args.of(1.5f, -0.25, data));
      awaitReached(done, 1);
      boolean isF16 = type == ElementType.F16;
      int expected = isF16 ? 0xB400_3E00 : 0xBE80_3FC0;
      assertBytes(ints(expected), cts.read(data), type.label());
      assertHal(
          Status.OUT_OF_RANGE,
          () -> cts.queue().dispatch(Fence.NONE, done.at(2), small, one, Args.of(0.1f, 1f, data)),
          "the float 0.1 is no " + type.label(),
          "the nearest is the float " + (isF16 ? "0.099975586" : "0.100097656"));
      assertHal(
          Status.INVALID_ARGUMENT,
          () -> cts.queue().dispatch(Fence.NONE, done.at(2), small, one, Args.of(1, 1f, data)));
      assertHal(
          Status.OUT_OF_RANGE,
          () -> cts.queue().dispatch(Fence.NONE, done.at(2), small, one, Args.of(1f, -1e39, data)),
          "the double -1.0E39 is out of the range of " + type.label(),
          isF16 ? "ends at -65504.0" : "ends at -3.38953");
    }
  }

  @Test
  @Rule("M5")
  void aCompilerErrorReportsTheLineOfTheSource(Cts cts) {
    cts.needsFormat("gpu-c++");
    String wrong = "\n".repeat(1233) + SOURCE.replace("+= summand", "+= no_such_name");
    HalException refused =
        assertHal(
            Status.INVALID_ARGUMENT,
            () -> cts.device().loadExecutable(add().cpp(wrong).build()),
            "code.cpp of bundle add",
            "no_such_name");
    long line = wrong.substring(0, wrong.indexOf("no_such_name")).lines().count();
    // NVRTC writes code.cpp(LINE), HIPRTC code.cpp:LINE:COLUMN.
    assertTrue(
        Pattern.compile("code\\.cpp[(:]" + line + "[):]").matcher(refused.getMessage()).find(),
        () -> "line " + line + " in: " + refused.getMessage());
  }

  @Test
  @Rule("M5")
  void aSourceMayIncludeFilesOfItsBundle(Cts cts) {
    cts.needsFormat("gpu-c++");
    BundleBuilder including =
        add().cpp("#include \"lib/sum.h\"\n" + SOURCE.replace("+= summand", "= SUM"));
    ExecutableSource source =
        including
            .file("lib/sum.h", "#include \"detail.h\"\n#define SUM (summand + DATA)")
            .file("lib/detail.h", "#define DATA data[blockIdx.x]")
            .build();
    assertAdds(cts, cts.closing(cts.device().loadExecutable(source)));
    ExecutableSource lacking =
        add().cpp("#include \"lib/gone.h\"\n" + SOURCE).file("lib/a.h", "// not this").build();
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> cts.device().loadExecutable(lacking),
        "code.cpp of bundle add",
        "lib/gone.h");
  }

  @Test
  @Rule("M5")
  void aDeclaredKernelMissingFromTheCodeIsNotFound(Cts cts) {
    cts.needsFormat("gpu-c++");
    BundleBuilder two = add().kernel("subtract", 1).cpp(SOURCE);
    assertHal(Status.NOT_FOUND, () -> cts.device().loadExecutable(two.build()), "subtract");
    BundleBuilder renamed = add().cpp(SOURCE).entry("add", "sum");
    assertHal(Status.NOT_FOUND, () -> cts.device().loadExecutable(renamed.build()), "sum");
  }

  @Test
  @Rule("M5")
  void aSourceWithANulCharacterIsRejected(Cts cts) {
    cts.needsFormat("gpu-c++");
    ExecutableSource cut = add().cpp(SOURCE + "\0 the compiler would not see this").build();
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> cts.device().loadExecutable(cut),
        "code.cpp of bundle add",
        "character 0",
        "line 4");
  }
}
