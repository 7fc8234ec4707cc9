// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.faults;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cpu.compile.NeedsCompiler;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A kernel that fails, fails its operation with a message that names it, and the device goes on: in
 * each form in which work items may be run, without and with a barrier.
 */
@NeedsCompiler
class FaultsTest {
  private static final int GROUPS = 8;
  private static final int ROUNDS = Boolean.getBoolean("jhal.test.long") ? 200 : 50;

  /** What is said of each kernel. */
  private static Map<String, String> messages() {
    Map<String, String> messages = new LinkedHashMap<>();
    messages.put("traps", "trapped");
    messages.put("traps_within", "trapped");
    messages.put("asserts", "failed an assertion: in[0] > 100000 (");
    messages.put("strays", "accessed memory that is not its own: address 0x");
    messages.put("strays_far", "accessed memory that is not its own");
    messages.put("follows_null", "accessed memory that is not its own: address 0x0");
    messages.put("points_nowhere", "accessed memory that is not its own: address 0x14");
    messages.put("recurses", "ran out of stack");
    messages.put("strides", "ran out of stack");
    messages.put("executes_illegal", "trapped, or executed an instruction that this processor");
    for (String name : List.of("allocates", "allocates_less_than_none", "allocates_wide")) {
      messages.put(name, "has no memory for its work items: their calls of new");
    }
    if (System.getProperty("os.arch").equals("amd64")) { // others divide by zero without a fault
      messages.put("divides", "divided an integer by zero");
      messages.put("overflows", "divided an integer by zero, or by -1 where the quotient");
    }
    return messages;
  }

  private static List<String> kernels() {
    List<String> kernels = new ArrayList<>(List.of("all_trap"));
    List<String> twice = new ArrayList<>(messages().keySet());
    twice.addAll(List.of("fine", "frees"));
    for (String name : twice) {
      kernels.add(name);
      kernels.add(name + "_met");
    }
    return kernels;
  }

  @ParameterizedTest
  @ValueSource(strings = "auto")
  void aFaultFailsItsOperationAndNothingElse(String form) throws Exception {
    try (FaultRun run = new FaultRun("threads=2&barriers=" + form, "faults.cpp", kernels())) {
      for (Map.Entry<String, String> expected : messages().entrySet()) {
        for (String suffix : List.of("", "_met")) {
          String kernel = expected.getKey() + suffix;
          FaultRun.Outcome outcome = run.run(kernel, GROUPS);
          HalException failure = outcome.failure();
          assertNotNull(failure, kernel);
          boolean isMemory = kernel.startsWith("allocates");
          Status status = isMemory ? Status.RESOURCE_EXHAUSTED : Status.ABORTED;
          assertEquals(status, failure.status(), kernel);
          String message = String.valueOf(failure.getMessage());
          assertTrue(message.contains("kernel " + kernel + " " + expected.getValue()), message);
          assertTrue(message.contains("dispatch of faults:" + kernel), message);
          assertArrayEquals(new int[] {1}, outcome.input(), kernel);
          for (int i = 0; i < GROUPS * FaultRun.ITEMS; i++) {
            int value = outcome.output()[i];
            assertTrue(value == 0 || value == 1, kernel + " wrote " + value);
          }
          assertWorks(run, (isMemory ? "frees" : "fine") + suffix, 0);
        }
      }
      assertNull(run.device().lostCause());
    }
  }

  @ParameterizedTest
  @Tag("long")
  @ValueSource(strings = {"fission", "coroutine", "fiber"})
  void faultsFailTheSameInOtherForms(String form) throws Exception {
    aFaultFailsItsOperationAndNothingElse(form);
  }

  private static void assertWorks(FaultRun run, String kernel, int queue)
      throws InterruptedException {
    FaultRun.Outcome outcome = run.run(kernel, GROUPS, queue);
    assertNull(outcome.failure());
    int[] ones = new int[GROUPS * FaultRun.ITEMS];
    Arrays.fill(ones, 1);
    assertArrayEquals(ones, outcome.output());
  }

  /** All threads of the pool fail at once, while another queue's kernels run on them as well. */
  @Test
  void manyThreadsMayFailAtOnce() throws Exception {
    List<String> kernels = List.of("all_trap", "recurses", "strays_met", "fine_met");
    ExecutorService callers = Executors.newFixedThreadPool(2);
    try (FaultRun run = new FaultRun("threads=8", "faults.cpp", kernels)) {
      Future<?> good =
          callers.submit(
              () -> {
                for (int i = 0; i < ROUNDS; i++) {
                  assertWorks(run, "fine_met", 1);
                }
                return null;
              });
      Future<?> bad =
          callers.submit(
              () -> {
                for (int i = 0; i < ROUNDS / 2; i++) {
                  for (String kernel : kernels.subList(0, 3)) {
                    assertNotNull(run.run(kernel, 256).failure(), kernel);
                  }
                }
                return null;
              });
      await(good);
      await(bad);
      assertWorks(run, "fine_met", 0);
    } finally {
      callers.shutdownNow();
    }
  }

  private static void await(Future<?> caller) throws Exception {
    try {
      caller.get(5, TimeUnit.MINUTES);
    } catch (ExecutionException e) {
      throw new AssertionError("a caller failed", e.getCause());
    }
  }
}
