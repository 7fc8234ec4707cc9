// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.compile;

import static org.jhal.ElementType.I32;
import static org.jhal.Parameter.inout;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.jhal.BundleBuilder;
import org.jhal.Device;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Errors of a source are reported as the user wrote it. */
@NeedsCompiler
class SourceErrorsTest {
  private static final String KERNEL = "extern \"C\" __global__ void k(int* x) ";

  private static BundleBuilder bundle(String source) {
    return ExecutableSource.builder("b").kernel("k", 4, inout("x", I32)).cpp(source);
  }

  private static String failure(BundleBuilder bundle, Status status) {
    try (Device device = Hal.openDevice("cpu://?cache=off&threads=1")) {
      HalException failure =
          assertThrows(HalException.class, () -> device.loadExecutable(bundle.build()).close());
      assertEquals(status, failure.status(), failure::getMessage);
      return String.valueOf(failure.getMessage());
    }
  }

  private static String failure(String source) {
    return failure(bundle(source), Status.INVALID_ARGUMENT);
  }

  private static void assertContains(String part, String message) {
    assertTrue(message.contains(part), message);
  }

  @Test
  void anUnclosedBracketIsAnError() {
    assertContains("code.cpp:1: error: this { is never closed", failure(KERNEL + "{ x[0] = 1;"));
    assertContains("code.cpp:1: error: this \" is never closed", failure(KERNEL + "{ \"a; }\n"));
  }

  @Test
  void theCompilerReportsWhatIsMissing() {
    assertContains(
        "expected 'while'", failure(KERNEL + "{ do { x[0]++; } x[1] = 2; __syncthreads(); }"));
    assertContains("expected ';'", failure(KERNEL + "{ __syncthreads(); x[0] = 1 }"));
  }

  @Test
  void theErrorThatHidesAKernelIsReported() {
    assertContains(
        "code.cpp:2:8: error: expected",
        failure("struct S { int a; }\n" + KERNEL + "{ x[threadIdx.x] = 1; }"));
  }

  @Test
  void namesTheKernelsThatAreThere() {
    assertEquals(
        "code.cpp of bundle b has no kernel 'k'; it has 'kk'",
        failure(bundle(KERNEL.replace(" k(", " kk(") + "{}"), Status.NOT_FOUND));
  }

  @Test
  void messagesNameNothingOfTheTranslation() {
    String source =
        """
        #include "inc/h.h"
        __device__ int helped(int n) { return __activemask() + n; }
        extern "C" __global__ void k(int* x) {
          __syncthreads();
          x[threadIdx.x] = helped(unknown) + __syncthreads(1, 2) + H;
          helped("a", "b");
        }
        """;
    String message =
        failure(
            bundle(source)
                .file("inc/h.h", "#define H missing\n__device__ int g() {\n  return absent;\n}\n"),
            Status.INVALID_ARGUMENT);
    assertContains("inc/h.h:3:", message);
    assertContains("'unknown'", message);
    for (String internal :
        new String[] {
          "quoted/", "headers/", "hal_", "HAL_", "__groups", "kernels.cpp", "<generated>"
        }) {
      assertFalse(message.contains(internal), () -> internal + " in " + message);
    }
  }

  /** The operators for subscripts are candidates that no message explains. */
  @Test
  void operatorsThatDoNotExistAreReportedAlone() {
    for (String expression : new String[] {"a * 2.0f", "2 + a", "a - a", "x[threadIdx.x + a]"}) {
      String message = failure(KERNEL + "{ float4 a = {}; x[0] = (" + expression + ", 1); }");
      assertContains("code.cpp:1:", message);
      assertContains("float4", message);
      assertFalse(message.contains("headers/"), message);
      assertEquals(1, message.split("error: ", -1).length - 1, message);
    }
  }

  @Test
  void messagesNameTemplateArguments() {
    String source =
        "template <class T> __device__ T f(T a) { return a.b + threadIdx.x; }\n"
            + KERNEL
            + "{ x[0] = f(3); }";
    String message = failure(source);
    assertTrue(message.contains("[with T = int]") || message.contains("f<int>"), message);
    assertFalse(message.contains("hal_item"), message);
  }

  @Test
  void includedFilesHaveTheirNamesOfTheBundle() {
    String message =
        failure(
            bundle("#include \"inc/h.h\"\n" + KERNEL + "{}").file("inc/h.h", "\n#error \"no\"\n"),
            Status.INVALID_ARGUMENT);
    assertContains("inc/h.h:2:", message);
    assertFalse(message.contains("quoted"), message);
    String length = "static_assert(sizeof(__FILE__) == sizeof(\"inc/h.h\"), \"its length\");\n";
    try (Device device = Hal.openDevice("cpu://?cache=off&threads=1")) {
      BundleBuilder named =
          bundle("#include \"inc/h.h\"\n" + KERNEL + "{}").file("inc/h.h", length);
      device.loadExecutable(named.build()).close();
    }
  }

  @Test
  void theKernelsThatTheCompilerAcceptsStayFast() {
    String source =
        """
        struct Box { int value; __device__ explicit operator int() const { return value; } };
        extern "C" __global__ void boxed(int* x) {
          Box box = {x[threadIdx.x]};
          using Ref = const Box&;
          Ref same = box;
          __syncthreads();
          x[threadIdx.x] = same.value;
        }
        extern "C" __global__ void k(int* x) { x[threadIdx.x]++; __syncthreads(); x[0] = 1; }
        """;
    try (Device device = Hal.openDevice("cpu://?cache=off&threads=1");
        Executable loaded =
            device.loadExecutable(bundle(source).kernel("boxed", 4, inout("x", I32)).build())) {
      assertEquals("divided at its barriers", loaded.kernel("k").note());
      String note = loaded.kernel("boxed").note();
      String expected = "items are coroutines: the compiler rejects the faster form: code.cpp:5:";
      assertTrue(note.startsWith(expected), note);
    }
  }

  /** What is wrong with the source, and not with the forms that were tried for it. */
  @Test
  void anErrorBesideWhatOtherFormsRejectIsReported() {
    String source =
        """
        using Ref = int&;
        static __global__ void k(int* x) {
          static __shared__ int s[64];
          s[threadIdx.x] = x[threadIdx.x];
          __syncthreads();
          x[threadIdx.x] = s[3 - threadIdx.x] + undefined_name;
          int n = 2;
          if (x[0] > 3) goto end;
          { Ref r = n; r += 1; }
          for (int i = 0; i < n; i++) __syncthreads();
        end:;
        }
        """;
    String message = failure(source);
    assertContains("code.cpp:6:", message);
    assertContains("'undefined_name'", message);
    assertEquals(1, message.split(" error: ", -1).length - 1, message);
  }

  @Test
  void namesOfFilesWriteNothingIntoTheSource(@TempDir Path folder) throws Exception {
    String name = "a\"b \u00e4\n#error no\n.cu";
    Files.writeString(folder.resolve(name), KERNEL + "{ __syncthreads(); x[0] = missing; }\n");
    Files.writeString(
        folder.resolve("manifest.json"),
        """
        {"version": 1, "name": "named", "kernels": [{"name": "k", "workgroupSize": [4],
          "parameters": [{"name": "x", "kind": "buffer", "type": "i32", "direction": "inout"}]}],
         "variants": [{"format": "gpu-c++", "file": "a\\"b \u00e4\\n#error no\\n.cu"}]}
        """);
    try (Device device = Hal.openDevice("cpu://?cache=off&threads=1")) {
      HalException failure =
          assertThrows(
              HalException.class, () -> device.loadExecutable(ExecutableSource.of(folder)).close());
      String message = String.valueOf(failure.getMessage());
      assertContains("a\"b \u00e4?#error no?.cu:1:", message);
      assertContains("'missing'", message);
      assertEquals(1, message.split(" error: ", -1).length - 1, message);
      Files.writeString(
          folder.resolve(name),
          "using Ref = const int&;\n"
              + KERNEL
              + "{ int v = x[0]; Ref r = v; __syncthreads(); x[0] = r; }\n");
      try (Executable loaded = device.loadExecutable(ExecutableSource.of(folder))) {
        String note = loaded.kernel("k").note();
        assertTrue(note.startsWith("items are coroutines: the compiler rejects"), note);
      }
    }
  }
}
