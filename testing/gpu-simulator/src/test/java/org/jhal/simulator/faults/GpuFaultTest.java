// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.faults;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jhal.simulator.fixture.GpuFault;
import org.jhal.simulator.fixture.GpuFault.Mode;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.jhal.simulator.fixture.SimulatedGpu;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Functions of the driver library that fail, one position after the other, sticky and not: nothing
 * hangs, nothing is left, no call is wrong, and each failure is reported. A failure names its case,
 * and {@code -Djhal.fault=CASE} repeats only that one.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GpuFaultTest {
  private static final String ONE = "jhal.fault";
  private static final int MOST_FAILURES = 10;

  /** Whether the sample is larger; see the profile {@code long}. */
  private static final boolean MORE = Boolean.getBoolean("jhal.test.long");

  private static final int MOST_POLLS = 40;

  /** Work that fails in a stream while it runs. */
  private static final Map<String, Integer> WORK =
      Map.of("@kernel", 5, "@copy", 25, "@fill", 8, "@memory", 12, "@record", 40, "@wait", 10);

  private final SimulatedGpu gpu = SimulatedGpu.ofProcess();
  private final FaultRoles roles = new FaultRoles(gpu);

  /** How often a run without a fault uses each function. */
  private Map<String, Integer> positions(Mode mode) throws Exception {
    Map<String, Integer> positions = new TreeMap<>(WORK);
    GpuFaultRun.count(gpu, mode)
        .forEach(
            (call, uses) ->
                positions.put(
                    call, (int) (roles.isPolled(call) ? Math.min(uses, MOST_POLLS) : (long) uses)));
    return positions;
  }

  private static List<GpuFault> cases(String call, int nth, Mode mode) {
    GpuFault sticky = new GpuFault(call, nth, true, mode);
    return sticky.isWork()
        ? List.of(sticky)
        : List.of(sticky, new GpuFault(call, nth, false, mode));
  }

  /**
   * The first position of each function, sticky, and the last one, not sticky; both in both ways in
   * the larger sample, and where there is one position only.
   */
  List<GpuFault> sample() throws Exception {
    SimulatedDevices.assumeThere(gpu);
    String one = System.getProperty(ONE);
    if (one != null) {
      return List.of(GpuFault.parse(one));
    }
    List<GpuFault> cases = new ArrayList<>();
    for (Map.Entry<String, Integer> call : positions(Mode.PAUSED).entrySet()) {
      int last = call.getValue();
      List<GpuFault> atFirst = cases(call.getKey(), 1, Mode.PAUSED);
      List<GpuFault> atLast = cases(call.getKey(), last, Mode.PAUSED);
      if (last == 1) {
        cases.addAll(atFirst);
      } else if (MORE) {
        cases.addAll(atFirst);
        cases.addAll(atLast);
      } else {
        cases.add(atFirst.get(0));
        cases.add(atLast.get(atLast.size() - 1));
      }
    }
    return cases;
  }

  @Test
  void theWorkloadCallsTheFunctionsOfAllCommands() throws Exception {
    SimulatedDevices.assumeThere(gpu);
    Set<String> used = GpuFaultRun.count(gpu, Mode.PAUSED).keySet();
    for (String call : roles.needed()) {
      assertTrue(used.contains(call), () -> call + " is not among " + used);
    }
  }

  @ParameterizedTest
  @MethodSource("sample")
  void aFailedCallFailsItsOperationAndLeavesNothing(GpuFault fault) throws Exception {
    GpuFaultRun.run(gpu, fault);
  }

  @ParameterizedTest
  @EnumSource
  @Tag("exhaustive")
  void aFailureAtAnyPositionLeavesNothing(Mode mode) throws Exception {
    SimulatedDevices.assumeThere(gpu);
    List<Throwable> failures = new ArrayList<>();
    int cases = 0;
    for (Map.Entry<String, Integer> call : positions(mode).entrySet()) {
      for (int nth = 1; nth <= call.getValue() && failures.size() < MOST_FAILURES; nth++) {
        for (GpuFault fault : cases(call.getKey(), nth, mode)) {
          cases++;
          try {
            GpuFaultRun.run(gpu, fault);
          } catch (AssertionError e) {
            failures.add(e);
          }
        }
      }
    }
    if (!failures.isEmpty()) {
      AssertionError all = new AssertionError(failures.size() + " of " + cases + " cases failed");
      failures.forEach(all::addSuppressed);
      throw all;
    }
  }
}
