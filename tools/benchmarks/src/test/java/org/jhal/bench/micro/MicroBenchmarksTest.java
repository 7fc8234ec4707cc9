// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.micro;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** The JMH benchmarks, for a moment each and in this JVM: all of them work. */
class MicroBenchmarksTest {
  @Test
  @Timeout(value = 120, unit = TimeUnit.SECONDS)
  void everyBenchmarkMeasuresSomething() throws Exception {
    Collection<RunResult> results =
        new Runner(
                new OptionsBuilder()
                    .include("org\\.jhal\\.bench\\.micro\\..*")
                    .forks(0)
                    .warmupIterations(0)
                    .measurementIterations(1)
                    .measurementTime(TimeValue.milliseconds(10))
                    .timeout(TimeValue.seconds(20))
                    .param("waiters", "0", "2")
                    .param("others", "0", "100")
                    .verbosity(VerboseMode.SILENT)
                    .shouldFailOnError(true)
                    .build())
            .run();
    Set<String> names = new TreeSet<>();
    for (RunResult result : results) {
      String name = result.getParams().getBenchmark();
      names.add(name.substring(name.lastIndexOf('.', name.lastIndexOf('.') - 1) + 1));
      assertTrue(result.getPrimaryResult().getScore() > 0, name);
    }
    assertEquals(
        new TreeSet<>(
            List.of(
                "EngineBenchmark.allocaAndDealloca",
                "EngineBenchmark.barrier",
                "EngineBenchmark.dispatch",
                "EngineBenchmark.execute",
                "EngineBenchmark.roundTrip",
                "EventsBenchmark.asks",
                "EventsBenchmark.barrierInChain",
                "RegisterBenchmark.baselineSortedMap",
                "RegisterBenchmark.registerAndCancel",
                "SignalBenchmark.baselineComplete",
                "SignalBenchmark.signal",
                "SubmitBenchmark.barrier",
                "SubmitBenchmark.barrierInChain",
                "SubmitBenchmark.fill",
                "SubmitBenchmark.baselineExecute",
                "WaitBenchmark.await",
                "WaitBenchmark.awaitWithTimeout",
                "WaitBenchmark.baselineGet")),
        names);
  }
}
