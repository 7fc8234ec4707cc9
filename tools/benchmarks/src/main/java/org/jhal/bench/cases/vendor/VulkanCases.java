// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.vendor;

import java.util.ArrayList;
import java.util.List;
import org.jhal.bench.baselines.VulkanRaw;
import org.jhal.bench.cases.DispatchWork;
import org.jhal.bench.measure.Aim;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.BenchCase;
import org.jhal.bench.measure.Quartiles;
import org.jhal.bench.measure.Series;
import org.jhal.bench.measure.Subject;

/** The cases for Vulkan devices: JHAL beside the same work as plain Vulkan in C. */
public final class VulkanCases {
  /** The driver whose devices they are for. */
  static final String DRIVER = "vulkan";

  /** A loop that records, submits and polls. */
  static final String PLAIN = "C";

  /** A loop that submits what it has recorded once, and polls. */
  static final String RECORDED = "C, recorded once";

  /** The aim beside a loop that records, too. */
  private static final double MOST = 1.05;

  private VulkanCases() {}

  /** In the order in which they run. */
  public static List<BenchCase> all() {
    return List.of(
        new BenchCase(
            "vulkan-round-trip",
            "a dispatch, and the host polls until it is over",
            "ns",
            Quartiles.METRICS,
            false,
            DRIVER,
            bench -> List.of(roundTrip(bench))));
  }

  private static Series roundTrip(Bench bench) {
    int steps = bench.steps(DispatchWork.ROUND_TRIPS);
    VulkanRaw raw =
        bench
            .shared()
            .get(
                "vulkan-raw",
                VulkanRaw.class,
                () -> new VulkanRaw(System.getenv(), bench.device().info().uuid()));
    List<Subject> baselines = new ArrayList<>();
    baselines.add(raw.subject(PLAIN, "round-trip", steps));
    baselines.add(raw.subject(RECORDED, "recorded-round-trip", steps));
    Bench peer = bench.peer();
    if (peer != null) {
      baselines.add(new DispatchWork.RoundTrip(peer.uri(), peer, DispatchWork.SPINNING, steps));
    }
    return new Series(
        "spinning",
        new DispatchWork.RoundTrip(Subject.JHAL, bench, DispatchWork.SPINNING, steps),
        baselines,
        List.of(Aim.atMost("median", PLAIN, MOST)));
  }
}
