// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.compute;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jhal.Device;
import org.jhal.Hal;
import org.jhal.Setting;
import org.jhal.bench.baselines.HostKernels;
import org.jhal.bench.baselines.PlainJava;
import org.jhal.bench.baselines.Pocl;
import org.jhal.bench.baselines.VectorApi;
import org.jhal.bench.kernel.JavaLoops;
import org.jhal.bench.kernel.Workload;
import org.jhal.bench.measure.Aim;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.BenchCase;
import org.jhal.bench.measure.Series;
import org.jhal.bench.measure.Subject;

/**
 * Kernels of the examples on the host's processors, beside the same work in C, in Java, on pocl and
 * on the mock.
 */
public final class ComputeCases {
  static final String DRIVER = "cpu";
  private static final String MOCK = "mock";
  static final String TIME = "time";
  static final String THREADS = "threads";

  /** For how many threads more is measured: work that neither waits for memory nor is uneven. */
  private static final List<Workload> DIVISIBLE = List.of(Workload.MATMUL, Workload.JULIA);

  private ComputeCases() {}

  /** In the order in which they run. */
  public static List<BenchCase> all() {
    return List.of(
        new BenchCase(
            "kernels",
            "a kernel of the examples by one thread, with its dispatch",
            "ns",
            List.of(TIME),
            false,
            DRIVER,
            ComputeCases::kernels),
        new BenchCase(
            "kernel-threads",
            "a kernel of the examples by several threads; the peer is one thread",
            "ns",
            List.of(TIME),
            false,
            DRIVER,
            bench -> threads(bench, Runtime.getRuntime().availableProcessors())),
        PlainCases.kernels(),
        PlainCases.checked());
  }

  private static List<Series> kernels(Bench bench) {
    List<Series> all = new ArrayList<>();
    for (Workload workload : Workload.values()) {
      int count = bench.steps(workload.repeats());
      List<Subject> peers = new ArrayList<>();
      peers.add(inC(bench).subject(workload, count));
      peers.add(new PlainJava(workload, count));
      if (VectorApi.has(workload)) {
        peers.add(vectorApi(bench).subject(workload, count));
      }
      peers.add(pocl(bench).subject(workload, count));
      peers.add(runs(MOCK, () -> mock(bench), workload, count));
      all.add(
          new Series(
              workload.label(),
              runs(Subject.JHAL, () -> withThreads(bench, 1), workload, count),
              peers,
              List.of(Aim.atMost(TIME, HostKernels.NAME, most(workload)))));
    }
    return all;
  }

  private static Subject runs(String name, Supplier<Device> opened, Workload workload, int count) {
    return new DeviceRuns(
        name,
        opened,
        workload,
        result -> workload.check(JavaLoops.result(workload), result),
        count);
  }

  /** The largest time that is wanted, as a ratio to C. */
  private static double most(Workload workload) {
    return switch (workload) {
      case SAXPY -> 1.5;
      case MATMUL -> 1.2;
      case REDUCTION -> 10;
      case JULIA -> 1.1;
      case EDGES -> 6;
    };
  }

  /** Twice as many threads in each row, up to one for each of the {@code processors}. */
  static List<Series> threads(Bench bench, int processors) {
    List<Series> all = new ArrayList<>();
    for (Workload workload : DIVISIBLE) {
      int count = bench.steps(workload.repeats());
      for (int threads = 2; threads < 2 * processors; threads *= 2) {
        int used = Math.min(threads, processors);
        all.add(
            new Series(
                workload.label() + ", " + used,
                runs(Subject.JHAL, () -> withThreads(bench, used), workload, count),
                List.of(runs("JHAL, one thread", () -> withThreads(bench, 1), workload, count))));
      }
    }
    return all;
  }

  /** It does not poll for longer than usual: a polling thread would take a core's time. */
  static Device withThreads(Bench bench, int threads) {
    return bench.deviceWith(Map.of(THREADS, String.valueOf(threads)));
  }

  private static Device mock(Bench bench) {
    String uri = "mock://0?threads=1";
    return bench.shared().get(uri, Device.class, () -> Hal.openDevice(uri));
  }

  private static HostKernels inC(Bench bench) {
    return bench
        .shared()
        .get("kernels", HostKernels.class, () -> new HostKernels(System.getenv(), compiler(bench)));
  }

  /** The compiler that the device uses, or nothing if it does not say. */
  static String compiler(Bench bench) {
    return bench.device().settings().stream()
        .filter(setting -> setting.name().equals("compiler"))
        .map(Setting::value)
        .findFirst()
        .orElse("");
  }

  private static VectorApi vectorApi(Bench bench) {
    return bench.shared().get("vector-api", VectorApi.class, VectorApi::new);
  }

  private static Pocl pocl(Bench bench) {
    return bench.shared().get("pocl", Pocl.class, Pocl::new);
  }
}
