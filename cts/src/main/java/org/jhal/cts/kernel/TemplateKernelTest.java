// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.kernel;

import static org.jhal.ElementType.F32;
import static org.jhal.ElementType.I32;
import static org.jhal.Parameter.constant;
import static org.jhal.Parameter.inout;
import static org.jhal.Parameter.out;
import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.floats;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.Waits.awaitReached;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jhal.Args;
import org.jhal.BundleBuilder;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.Kernel;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Kernels that are instances of templates, named by expressions. */
@CtsSuite
class TemplateKernelTest {
  private static final String SOURCE =
      """
      template <class T, int N>
      __global__ void reversed(T* data, T more) {
        __shared__ T tile[N];
        T* own = data + N * blockIdx.x;
        tile[threadIdx.x] = own[threadIdx.x] + more;
        __syncthreads();
        own[threadIdx.x] = tile[N - 1 - threadIdx.x];
      }

      struct Square {
        static __device__ int of(int x) { return x * x; }
      };

      namespace outer {
      struct Twice {
        static __device__ int of(int x) { return 2 * x; }
      };
      namespace inner {
      template <class F>
      __global__ void mapped(int* data) {
        data[blockIdx.x] = F::of(blockIdx.x);
      }
      }
      __global__ void counted(int* data) {
        data[blockIdx.x] = blockIdx.x;
      }
      }
      """;

  private static BundleBuilder bundle() {
    return ExecutableSource.builder("templates")
        .kernel("floats", 4, inout("data", F32), constant("more", F32))
        .kernel("ints", 8, inout("data", I32), constant("more", I32))
        .kernel("squares", 1, out("data", I32))
        .kernel("doubles", 1, out("data", I32))
        .kernel("counted", 1, out("data", I32))
        .cpp(SOURCE)
        .entry("floats", "reversed<float, 4>")
        .entry("ints", "reversed< int,8 >")
        .entry("squares", "outer::inner::mapped<Square>")
        .entry("doubles", "::outer::inner::mapped<outer::Twice>")
        .entry("counted", "outer::counted");
  }

  private static void assertRuns(
      Cts cts, Kernel kernel, byte[] before, byte[] after, Object... rest) {
    DeviceBuffer data = cts.buffer(before);
    Object[] values = new Object[1 + rest.length];
    values[0] = data;
    System.arraycopy(rest, 0, values, 1, rest.length);
    TimelineSemaphore done = cts.semaphore();
    int groups = before.length / 4 / kernel.workgroupSize().x();
    cts.queue().dispatch(Fence.NONE, done.at(1), kernel, Workgroups.of(groups), Args.of(values));
    awaitReached(done, 1);
    assertBytes(after, cts.read(data), kernel.name());
  }

  @Test
  @Rule("M8")
  void anEntryPointMayBeAnInstanceOfATemplate(Cts cts) {
    cts.needsFormat("gpu-c++");
    ExecutableSource source = bundle().build();
    for (int i = 0; i < 2; i++) { // compiled, and then kept
      Executable kernels = cts.closing(cts.device().loadExecutable(source));
      assertRuns(
          cts,
          kernels.kernel("floats"),
          floats(1, 2, 3, 4, 5, 6, 7, 8),
          floats(4.5f, 3.5f, 2.5f, 1.5f, 8.5f, 7.5f, 6.5f, 5.5f),
          0.5f);
      assertRuns(
          cts,
          kernels.kernel("ints"),
          ints(16, x -> x),
          ints(16, x -> x / 8 * 8 + 7 - x % 8 + 100),
          100);
      byte[] zeros = new byte[16];
      assertRuns(cts, kernels.kernel("squares"), zeros, ints(0, 1, 4, 9));
      assertRuns(cts, kernels.kernel("doubles"), zeros, ints(0, 2, 4, 6));
      assertRuns(cts, kernels.kernel("counted"), zeros, ints(0, 1, 2, 3));
    }
  }

  @Test
  @Rule("M5")
  void anExpressionThatNamesNoKernelIsRejected(Cts cts) {
    cts.needsFormat("gpu-c++");
    for (String entry : new String[] {"no_such<int>", "outer::nothing"}) {
      BundleBuilder bundle =
          ExecutableSource.builder("missing").kernel("ints", 8, inout("data", I32)).cpp(SOURCE);
      ExecutableSource source = bundle.entry("ints", entry).build();
      String name = entry.contains("no_such") ? "no_such" : "nothing";
      assertHal(Status.INVALID_ARGUMENT, () -> cts.device().loadExecutable(source), name);
    }
  }

  /** Whatever else it is would get into the compiler's input. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "f<1",
        "f<1>>",
        "f<1>; int x",
        "f<1>(3)",
        "f<1>::g<2>",
        "f<\"text\">",
        "f<'a'>",
        "f<(1)>",
        "f<1> /**/",
        "f<1\n>",
        "f<a:b>",
        "f<a:::b>",
        "f<#x>",
        "f<x\\>",
        "f g<1>",
        "1f<1>",
        "a:b",
        "a::",
        "<1>",
        "a.b",
        ""
      })
  @Rule("M5")
  void aMalformedExpressionIsRejectedOnEachDevice(String entry, Cts cts) {
    ExecutableSource source = bundle().entry("floats", entry).build();
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> cts.device().loadExecutable(source),
        "variants[0].entries.floats",
        "'" + entry.replace('\n', '?') + "'");
  }

  @Test
  @Rule("M5")
  void anExpressionThatIsTooLongIsRejected(Cts cts) {
    String arguments = IntStream.range(0, 300).mapToObj(i -> "1").collect(Collectors.joining(","));
    ExecutableSource source = bundle().entry("floats", "f<" + arguments + ">").build();
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> cts.device().loadExecutable(source),
        "has 602 characters; an entry point has at most 512");
  }
}
