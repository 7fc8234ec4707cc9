// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.host;

import java.util.List;
import java.util.stream.Stream;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import org.jhal.bench.cases.DispatchWork;
import org.jhal.bench.measure.Aim;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.NotAvailableException;
import org.jhal.bench.measure.Series;
import org.jhal.bench.measure.Subject;

/**
 * A chain of dispatches while the flight recorder records its events, beside the same chain while
 * it does not.
 *
 * @param chain the chain
 * @param events the names of the events, without {@code org.jhal.}
 */
record RecordedChain(DispatchWork.Chain chain, List<String> events) implements Subject {
  static final String NOT_RECORDED = "JHAL, not recorded";

  private static final String TIME = "time";
  private static final int STEPS = 10_000;

  /** The aim: the largest ratio with a recording, without the times of the device. */
  private static final double MOST = 1.1;

  private static final List<String> ON_THE_HOST =
      List.of("Submission", "TimelineEdge", "Operation", "HostWait", "Transfer");

  static List<Series> series(Bench bench) {
    int steps = bench.steps(STEPS);
    return List.of(
        new Series(
            "host",
            new RecordedChain(chain(Subject.JHAL, bench, steps), ON_THE_HOST),
            List.of(chain(NOT_RECORDED, bench, steps)),
            List.of(Aim.atMost(TIME, NOT_RECORDED, MOST))),
        new Series(
            "host and device",
            new RecordedChain(chain(Subject.JHAL, bench, steps), withTimes()),
            List.of(chain(NOT_RECORDED, bench, steps))));
  }

  private static List<String> withTimes() {
    return Stream.concat(ON_THE_HOST.stream(), Stream.of("Execution")).toList();
  }

  private static DispatchWork.Chain chain(String name, Bench bench, int steps) {
    return new DispatchWork.Chain(name, bench, DispatchWork.SPINNING, steps);
  }

  @Override
  public String name() {
    return chain.name();
  }

  @Override
  public void prepare() throws Exception {
    if (!FlightRecorder.isAvailable()) {
      throw new NotAvailableException("this Java has no flight recorder");
    }
    chain.prepare();
  }

  @Override
  public double[] sample() throws Exception {
    try (Recording recording = new Recording()) {
      events.forEach(event -> recording.enable("org.jhal." + event));
      recording.start();
      return chain.sample();
    }
  }

  @Override
  public void close() {
    chain.close();
  }
}
