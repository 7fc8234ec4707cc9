// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.peer;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jhal.Device;
import org.jhal.DeviceInfo;
import org.jhal.Hal;
import org.jhal.bench.baselines.CudaCompiler;
import org.jhal.bench.baselines.CudaRaw;
import org.jhal.bench.cases.DispatchWork;
import org.jhal.bench.cases.OnCuda;
import org.jhal.bench.cases.Transfers;
import org.jhal.bench.measure.Aim;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.BenchCase;
import org.jhal.bench.measure.Series;
import org.jhal.bench.measure.Subject;
import org.jspecify.annotations.Nullable;

/**
 * Work of two devices of one driver, beside the same in C on CUDA devices, and copies to a device
 * of another driver. Without a second device, the cases report that.
 */
public final class PeerCases {
  private static final int MIB = 1 << 20;
  private static final int[] SIZES = {1, 16, 64, 1024}; // MiB
  private static final int SMALL = 64; // KiB
  private static final int HOPS = 1_000;
  private static final int ELSEWHERE = 256; // MiB
  private static final long SAMPLE_BYTES = 4L << 30;
  private static final int MOST_TRANSFERS = 200;
  private static final int FEWEST_TRANSFERS = 5;

  /** A device of the mock that shares nothing, so the copies go through the host. */
  private static final String OTHER = "mock://0?peers=none";

  private PeerCases() {}

  /** In the order in which they run. */
  public static List<BenchCase> all() {
    return all(PeerCases::raw);
  }

  /** The cases, compared with the program that {@code raw} returns, if it returns one. */
  static List<BenchCase> all(Function<Bench, @Nullable CudaRaw> raw) {
    return List.of(
        copies("peer-copy", "copies from a device to another one, and the host waits", 1, raw),
        copies("peer-both", "copies in both directions at once, and the host waits", 2, raw),
        new BenchCase(
                "peer-hop",
                "dispatches on two devices in turn that wait for the one before, submitted up front",
                "ns",
                List.of("time"),
                false,
                bench -> List.of(hops(bench, raw.apply(bench))))
            .forTwo(),
        new BenchCase(
            "peer-elsewhere",
            "copies to a device of another driver and back, and the host waits",
            "ns",
            Transfers.METRICS,
            false,
            bench -> List.of(elsewhere(bench))));
  }

  private static BenchCase copies(
      String name, String description, int directions, Function<Bench, @Nullable CudaRaw> raw) {
    return new BenchCase(
            name,
            description,
            "ns",
            Transfers.METRICS,
            false,
            bench -> copies(bench, name, directions, raw.apply(bench)))
        .forTwo();
  }

  private static List<Series> copies(
      Bench bench, String name, int directions, @Nullable CudaRaw raw) {
    List<Series> all = new ArrayList<>();
    all.add(copies(bench, name, directions, SMALL + " KiB", SMALL << 10, raw));
    for (int mib : bench.sizes(SIZES)) {
      all.add(copies(bench, name, directions, mib + " MiB", mib * MIB, raw));
    }
    return all;
  }

  private static Series copies(
      Bench bench, String name, int directions, String size, int bytes, @Nullable CudaRaw raw) {
    int steps = steps(bench, bytes);
    return new Series(
        size,
        new PeerTransfers(bench, directions, bytes, steps),
        raw == null
            ? List.of()
            : List.of(
                raw.subject(
                    name,
                    bytes,
                    steps,
                    all -> Transfers.withThroughput(all, (long) directions * bytes))),
        raw == null ? List.of() : List.of(Aim.atLeast(Transfers.THROUGHPUT, CudaRaw.NAME, 0.95)));
  }

  private static Series hops(Bench bench, @Nullable CudaRaw raw) {
    int steps = bench.steps(HOPS);
    return new Series(
        steps + " hops",
        new PeerHops(bench, steps),
        raw == null
            ? List.of()
            : List.of(raw.subject("peer-hop", 0, steps, all -> new double[] {all[0]})),
        raw == null ? List.of() : List.of(Aim.atMost("time", CudaRaw.NAME, 1.5)));
  }

  private static Series elsewhere(Bench bench) {
    int mib = Math.min(ELSEWHERE, bench.max());
    int bytes = mib * MIB;
    int steps = steps(bench, bytes);
    Device device = bench.deviceThatSpins(DispatchWork.SPINNING);
    Device other = bench.shared().get(OTHER, Device.class, () -> Hal.openDevice(OTHER));
    List<Subject> alone = new ArrayList<>();
    alone.add(new ThereAndBack("JHAL, this device alone", device, null, bytes, steps));
    alone.add(new ThereAndBack("JHAL, the other one alone", other, null, bytes, steps));
    return new Series(
        mib + " MiB",
        new ThereAndBack(Subject.JHAL, device, other, bytes, steps),
        alone,
        List.of(Aim.atLeastOfLowest(Transfers.THROUGHPUT, 0.8)));
  }

  private static int steps(Bench bench, int bytes) {
    return bench.steps(
        (int) Math.max(FEWEST_TRANSFERS, Math.min(MOST_TRANSFERS, SAMPLE_BYTES / bytes)));
  }

  /** The program in C for both devices; null for those of other drivers, and without a second. */
  static @Nullable CudaRaw raw(Bench bench) {
    DeviceInfo first = bench.device().info();
    if (!first.driver().equals(OnCuda.DRIVER)) {
      return null;
    }
    String other = SecondDevice.find(bench).map(DeviceInfo::pciAddress).orElse(null);
    return other == null
        ? null
        : bench
            .shared()
            .get(
                "raw-peers",
                CudaRaw.class,
                () ->
                    new CudaRaw(
                        () -> CudaCompiler.find(System.getenv()),
                        Map.of(),
                        first.pciAddress(),
                        other));
  }
}
