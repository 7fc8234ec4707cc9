// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.jhal.Device;
import org.jhal.Hal;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.Series;
import org.jhal.bench.measure.Subject;

/**
 * How much memory parked work holds. Each sample is taken in a separate JVM, because the resident
 * memory of a process depends on what it did before.
 *
 * @param name of the subject
 * @param uri of the device; baselines ignore it
 * @param size how much work is parked
 */
public record ParkedMemory(String name, String uri, int size) implements Subject {
  static final List<String> METRICS = List.of("live heap", "resident");

  private static final int WARM_UP = 100;

  static Series series(Bench bench) {
    return new Series(
        String.valueOf(bench.max()),
        new ParkedMemory(JHAL, bench.uri(), bench.max()),
        List.of(new ParkedMemory("CompletableFuture", bench.uri(), bench.max())));
  }

  @Override
  public double[] sample() throws IOException, InterruptedException, TimeoutException {
    double[] bytes = OwnJvm.numbers(ParkedMemory.class, name, uri, String.valueOf(size));
    return new double[] {bytes[0] / size, bytes[1] / size};
  }

  /** The program in the separate JVM; its arguments are the components of this record. */
  public static void main(String[] args) throws Exception {
    int size = Integer.parseInt(args[2]);
    if (args[0].equals(JHAL)) {
      try (Device device = Hal.openDevice(args[1])) {
        measure(
            new DependentSubmissions(device, DependentWork.Shape.ONE_BY_ONE, WARM_UP, 1),
            new DependentSubmissions(device, DependentWork.Shape.ONE_BY_ONE, size, 1));
      }
    } else {
      measure(
          new DependentFutures(DependentWork.Shape.ONE_BY_ONE, WARM_UP, 1),
          new DependentFutures(DependentWork.Shape.ONE_BY_ONE, size, 1));
    }
  }

  private static void measure(DependentWork small, DependentWork work) throws Exception {
    small.sample(); // loads the classes
    work.begin();
    long heap = liveHeap();
    double resident = resident();
    work.park();
    resident = resident() - resident; // before the collection, which would distort it
    heap = liveHeap() - heap;
    work.release();
    work.end();
    small.close();
    work.close();
    OwnJvm.answer(heap, resident);
  }

  private static long liveHeap() {
    System.gc();
    System.gc(); // objects that the first collection found unused may have kept others alive
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  /** Bytes of this process in physical memory, or NaN where the system does not report them. */
  private static double resident() throws IOException {
    Path status = Path.of("/proc/self/status");
    if (!Files.isReadable(status)) {
      return Double.NaN;
    }
    // "VmRSS:    123456 kB"
    for (String line : Files.readAllLines(status, StandardCharsets.ISO_8859_1)) {
      if (line.startsWith("VmRSS:")) {
        return 1024.0 * Long.parseLong(line.replaceAll("[^0-9]", ""));
      }
    }
    return Double.NaN;
  }
}
