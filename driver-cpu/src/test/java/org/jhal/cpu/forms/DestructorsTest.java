// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.forms;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.jhal.cpu.compile.NeedsCompiler;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A destructor runs where the scope of its variable ends, on whichever side of a barrier. */
@NeedsCompiler
class DestructorsTest {
  private static final List<String> KERNELS =
      List.of("direct", "renamed", "member", "deduced", "local", "inlined");

  /** Each kernel doubles what it has read, and adds 5 at the end of a scope. */
  private static final String SOURCE =
      """
      #define AT (blockIdx.x * 64 + threadIdx.x)
      struct Add {
        int* to;
        int by;
        __device__ Add(int* to, int by) : to(to), by(by) {}
        __device__ ~Add() { *to += by; }
      };
      using Renamed = Add;
      struct Around { Add add; };
      struct Safe { int value; };
      __device__ inline Add make(int* to) { return Add(to, 5); }
      __device__ inline void doubled(int* x) { Add add(x, 5); __syncthreads(); *x *= 2; }
      extern "C" __global__ void direct(const int* in, int* out) {
        int x = in[AT];
        { Add add(&x, 5); __syncthreads(); x *= 2; }
        out[AT] = x;
      }
      extern "C" __global__ void renamed(const int* in, int* out) {
        int x = in[AT];
        { Renamed add(&x, 5); __syncthreads(); x *= 2; }
        out[AT] = x;
      }
      extern "C" __global__ void member(const int* in, int* out) {
        int x = in[AT];
        { Around around{Add(&x, 5)}; __syncthreads(); x *= 2; }
        out[AT] = x;
      }
      extern "C" __global__ void deduced(const int* in, int* out) {
        int x = in[AT];
        { auto add = make(&x); __syncthreads(); x *= 2; }
        out[AT] = x;
      }
      extern "C" __global__ void local(const int* in, int* out) {
        struct Own { int* to; __device__ ~Own() { *to += 5; } };
        int x = in[AT];
        { Own add{&x}; __syncthreads(); x *= 2; }
        out[AT] = x;
      }
      extern "C" __global__ void inlined(const int* in, int* out) {
        int x = in[AT];
        doubled(&x);
        out[AT] = x;
      }
      extern "C" __global__ void between(const int* in, int* out) {
        int x = in[AT];
        Safe safe{x};
        for (int i = 0; i < 1; i++) { Add add(&x, 5); x *= 2; }
        __syncthreads();
        out[AT] = x + safe.value;
      }
      """;

  @ParameterizedTest
  @ValueSource(strings = "auto")
  void runAtTheEndOfTheScope(String form) throws InterruptedException {
    int[] input = new Random(1).ints(FormRun.COUNT, 0, 1000).toArray();
    int[] expected = IntStream.of(input).map(x -> 2 * x + 5).toArray();
    try (FormRun run = new FormRun(form, SOURCE, KERNELS)) {
      for (String kernel : KERNELS) {
        assertArrayEquals(expected, run.run(kernel, input), kernel);
      }
    }
  }

  @ParameterizedTest
  @Tag("long")
  @ValueSource(strings = {"coroutine", "fiber"})
  void runAtTheEndOfTheScopeInOtherForms(String form) throws InterruptedException {
    runAtTheEndOfTheScope(form);
  }

  /** The other kernels of the source are as fast as ever. */
  @Test
  void doNotMatterBetweenBarriers() throws InterruptedException {
    int[] input = new Random(1).ints(FormRun.COUNT, 0, 1000).toArray();
    int[] expected = IntStream.of(input).map(x -> 3 * x + 5).toArray();
    try (FormRun run = new FormRun("auto", SOURCE, List.of("between"))) {
      assertEquals("divided at its barriers", run.note("between"));
      assertArrayEquals(expected, run.run("between", input));
    }
  }
}
