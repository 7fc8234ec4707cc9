package org.jhal.cuda;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jhal.cuda.CudaFault.Mode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Functions of the driver library that fail, one position after the other, sticky and not: nothing
 * hangs, nothing is left, no call is wrong, and each failure is told. A failure names its case, and
 * {@code -Djhal.fault=CASE} repeats only that one.
 */
class CudaFaultTest {
  private static final String ONE = "jhal.fault";
  private static final int MOST_FAILURES = 10;

  /** How many positions of each function are in the sample, if there are so many. */
  private static final int SPREAD = 2;

  /** More positions of these are more of the same: they are polled. */
  private static final Set<String> POLLED =
      Set.of("cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2", "cuEventQuery");

  private static final int MOST_POLLS = 40;

  /** What fails in a stream while it runs. */
  private static final Map<String, Integer> WORK =
      Map.of("@kernel", 5, "@copy", 25, "@fill", 8, "@memory", 12, "@record", 40, "@wait", 10);

  /** Positions of each function, those that a run without a fault has used. */
  private static Map<String, Integer> positions(Mode mode) throws Exception {
    Map<String, Integer> positions = new TreeMap<>(WORK);
    CudaFaultRun.count(mode)
        .forEach(
            (call, uses) ->
                positions.put(
                    call,
                    (int) (POLLED.contains(call) ? Math.min(uses, MOST_POLLS) : (long) uses)));
    return positions;
  }

  private static List<CudaFault> cases(String call, int nth, Mode mode) {
    CudaFault sticky = new CudaFault(call, nth, true, mode);
    return sticky.isWork()
        ? List.of(sticky)
        : List.of(sticky, new CudaFault(call, nth, false, mode));
  }

  /** The first and the last position of each function. */
  static List<CudaFault> sample() throws Exception {
    SimulatedDevices.assumeThere();
    String one = System.getProperty(ONE);
    if (one != null) {
      return List.of(CudaFault.parse(one));
    }
    List<CudaFault> cases = new ArrayList<>();
    for (Map.Entry<String, Integer> call : positions(Mode.PAUSED).entrySet()) {
      int count = call.getValue();
      int spread = Math.min(SPREAD, count);
      for (int i = 0; i < spread; i++) {
        int nth = spread == 1 ? 1 : 1 + i * (count - 1) / (spread - 1);
        cases.addAll(cases(call.getKey(), nth, Mode.PAUSED));
      }
    }
    return cases;
  }

  @Test
  void theWorkloadCallsWhatCommandsNeed() throws Exception {
    SimulatedDevices.assumeThere();
    Set<String> used = CudaFaultRun.count(Mode.PAUSED).keySet();
    for (String call :
        List.of(
            "cuLaunchKernel",
            "cuMemAllocFromPoolAsync",
            "cuMemFreeAsync",
            "cuMemHostAlloc",
            "cuMemHostRegister_v2",
            "cuMemcpyAsync",
            "cuMemcpyDtoDAsync_v2",
            "cuMemcpyDtoHAsync_v2",
            "cuMemcpyHtoDAsync_v2",
            "cuMemsetD8Async",
            "cuModuleLoadDataEx",
            "cuPointerGetAttribute",
            "cuStreamWaitEvent")) {
      assertTrue(used.contains(call), () -> call + " is not among " + used);
    }
  }

  @ParameterizedTest
  @MethodSource("sample")
  void aFailedCallFailsWhatItConcernsAndNothingIsLeft(CudaFault fault) throws Exception {
    CudaFaultRun.run(fault);
  }

  @ParameterizedTest
  @EnumSource
  @Tag("exhaustive")
  void everyPositionOfEveryFunction(Mode mode) throws Exception {
    SimulatedDevices.assumeThere();
    List<Throwable> failures = new ArrayList<>();
    int cases = 0;
    for (Map.Entry<String, Integer> call : positions(mode).entrySet()) {
      for (int nth = 1; nth <= call.getValue() && failures.size() < MOST_FAILURES; nth++) {
        for (CudaFault fault : cases(call.getKey(), nth, mode)) {
          cases++;
          try {
            CudaFaultRun.run(fault);
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
