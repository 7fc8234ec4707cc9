// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.host;

import java.util.List;
import org.jhal.bench.measure.BenchCase;

/** The cost of the runtime on the host, compared with similar means of the JDK. */
public final class HostCases {
  private HostCases() {}

  /** In the order in which they run. */
  public static List<BenchCase> all() {
    return List.of(
        dependent(
            "parked-one-by-one",
            "barriers that wait for a value each, released by a signal each",
            DependentWork.Shape.ONE_BY_ONE),
        dependent(
            "parked-all-at-once",
            "barriers that wait for a value each, released by one signal",
            DependentWork.Shape.ALL_AT_ONCE),
        dependent(
            "chain",
            "barriers that wait for the one before them, of which the first is released",
            DependentWork.Shape.CHAIN),
        new BenchCase(
            "round-trip",
            "a barrier, and the host waits for it",
            "ns",
            List.of("time"),
            false,
            bench -> List.of(RoundTrips.series(bench, 1))),
        new BenchCase(
            "stream",
            "barriers of which a number is on its way, and the host waits for the oldest",
            "ns",
            List.of("time"),
            false,
            bench ->
                List.of(
                    RoundTrips.series(bench, 8),
                    RoundTrips.series(bench, 64),
                    RoundTrips.series(bench, 256))),
        new BenchCase(
            "ping-pong",
            "two host threads signal each other in turn, there and back",
            "ns",
            List.of("time"),
            false,
            bench -> List.of(PingPong.series(bench))),
        new BenchCase(
            "heap",
            "heap that all threads allocate for a submission in steady state",
            "bytes",
            List.of("heap"),
            false,
            HeapBytes::series),
        new BenchCase(
            "recorded-chain",
            "dispatches that wait for the one before them, while the flight recorder records them",
            "ns",
            List.of("time"),
            false,
            RecordedChain::series),
        new BenchCase(
            "memory",
            "memory that a parked barrier holds, in a JVM of its own",
            "bytes",
            ParkedMemory.METRICS,
            false,
            bench -> List.of(ParkedMemory.series(bench))),
        new BenchCase(
            "load",
            "a bundle is loaded for the first time in a process, in a JVM of its own",
            "ns",
            LoadTimes.METRICS,
            false,
            bench -> List.of(LoadTimes.series(bench))));
  }

  private static BenchCase dependent(String name, String description, DependentWork.Shape shape) {
    return new BenchCase(
        name,
        description,
        "ns",
        DependentWork.METRICS,
        true,
        bench -> DependentWork.series(bench, shape));
  }
}
