// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.kernel;

import static org.jhal.Parameter.in;
import static org.jhal.Parameter.out;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.TestData.toInts;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import org.jhal.Args;
import org.jhal.BundleBuilder;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.junit.jupiter.api.Test;

/**
 * Names that kernels use and that are not functions of numbers alone: pointers to functions,
 * groups, matches of lanes, memory, atomic operations, and the standard library. Each kernel is one
 * line.
 */
@CtsSuite
class DialectNamesTest {
  private static final int ITEMS = 64; // of a workgroup
  private static final int COUNT = 4 * ITEMS;

  private final Map<String, IntUnaryOperator> results = new LinkedHashMap<>();

  /** Adds a kernel whose item {@code i} writes {@code out[i]}; {@code in[i]} is {@code i}. */
  private void kernel(String name, IntUnaryOperator result) {
    results.put(name, result);
  }

  private void assertResults(Cts cts) {
    assertResults(cts, "names.cpp");
  }

  private void assertResults(Cts cts, String file) {
    cts.needsFormat("gpu-c++");
    BundleBuilder bundle = ExecutableSource.builder("names");
    results
        .keySet()
        .forEach(
            name ->
                bundle.kernel(name, ITEMS, in("in", ElementType.I32), out("out", ElementType.I32)));
    Executable kernels =
        cts.closing(cts.device().loadExecutable(bundle.cpp(DialectKernelTest.read(file)).build()));
    DeviceBuffer from = cts.buffer(ints(COUNT, i -> i));
    results.forEach(
        (name, result) -> {
          DeviceBuffer to = cts.buffer(ints(COUNT, i -> -7));
          TimelineSemaphore done = cts.semaphore();
          cts.queue()
              .dispatch(
                  Fence.NONE,
                  done.at(1),
                  kernels.kernel(name),
                  Workgroups.of(COUNT / ITEMS),
                  Args.of(from, to));
          awaitReached(done, 1);
          int[] wanted = new int[COUNT];
          Arrays.setAll(wanted, result);
          assertArrayEquals(wanted, toInts(cts.read(to)), name);
        });
  }

  @Test
  @Rule("M8")
  void functionsThatAskForAnIndexMayBePassedByPointer(Cts cts) {
    kernel("by_table", i -> 2 * i + i % ITEMS);
    kernel("by_variable", i -> i % 2 == 1 ? 2 * i + i % ITEMS : -i);
    assertResults(cts);
  }

  @Test
  @Rule("M8")
  void functionsAreChosenWhileAKernelRuns(Cts cts) {
    kernel("chosen", i -> i % 3 == 0 ? i + 5 : i % 3 == 1 ? i - 5 : i * 5);
    kernel("of_structs", i -> i % 2 == 0 ? i + i + 1 + 4 : i * (i + 1) + 64);
    kernel("passed", i -> 2 * i + (i % 4 == 1 ? i + 3 : -1));
    kernel(
        "of_shared",
        i -> {
          int other = i / ITEMS * ITEMS + ITEMS - 1 - i % ITEMS;
          return i % 2 == 0 ? i + other : i - other;
        });
    kernel(
        "kept",
        i -> {
          int next = (i / ITEMS * ITEMS + (i + 1) % ITEMS) % 3;
          return next == 0 ? i + 2 + 100 : next == 1 ? i - 2 : i * 2;
        });
    kernel("of_objects", i -> i % 2 == 1 ? (i % 8 + 1) * (i % 8 + 2) : 2 * i);
    kernel("meeting", i -> i / ITEMS % 2 == 0 ? i ^ 1 : i / ITEMS * ITEMS + (i + 1) % ITEMS);
    kernel(
        "by_value",
        i -> {
          int at = i % 8;
          int raised = i + at + at + 1;
          int doubled = 2 * (i + at);
          return (i % 2 == 0 ? raised + 1000 * doubled : doubled + 1000 * raised) + 1_000_000 * at;
        });
    assertResults(cts, "pointers.cpp");
  }

  @Test
  @Rule("M8")
  void lanesWithTheSameValueFindEachOther(Cts cts) {
    kernel("matched", i -> 8);
    kernel("all_matched", i -> 3);
    assertResults(cts);
  }

  @Test
  @Rule("M8")
  void groupsKnowThemselves(Cts cts) {
    kernel("dynamic_tile", i -> 1600 + i % 16);
    kernel("block_by_value", i -> i + i % ITEMS);
    kernel("tile_by_value", i -> i + i % 8);
    kernel("binary", i -> i % 4 == 0 ? 800 + i % 32 / 4 : 2400 + i % 32 - i % 32 / 4 - 1);
    kernel("labeled", i -> 800 + i % 32 / 4 + (i / 32 * 32 + i % 4));
    kernel("grid", i -> 4000 + i / ITEMS * 101);
    assertResults(cts);
  }

  @Test
  @Rule("M8")
  void whatHasSeveralNamesHasAllOfThem(Cts cts) {
    kernel("other_indexes", i -> i + 1);
    kernel("constants", i -> 5);
    kernel("assumed", i -> i);
    kernel("barrier", i -> i / ITEMS * ITEMS + ITEMS - 1 - i % ITEMS);
    kernel("lane", i -> 1);
    kernel("slept", i -> i);
    assertResults(cts);
  }

  @Test
  @Rule("M8")
  void kernelsUseTheStandardLibrary(Cts cts) {
    kernel("traits", i -> 2 + i / 2);
    kernel("limits", i -> 127 + 3);
    kernel("array", i -> 2 * (i + 3) + 6);
    kernel("functions", i -> 2 + Math.max(i, 9) + 5 + 8);
    kernel("with_namespace", i -> 1 + i);
    assertResults(cts);
  }

  @Test
  @Rule("M8")
  void itemsAllocateMemory(Cts cts) {
    kernel("allocated", i -> i);
    assertResults(cts, "allocated.cpp");
  }

  @Test
  @Rule("M8")
  void itemsUpdateNumbersOf16BitsInSharedMemory(Cts cts) {
    kernel("atomic", i -> i % ITEMS == 0 ? ITEMS : i % ITEMS == 1 ? 2 * ITEMS : 0);
    assertResults(cts);
  }
}
