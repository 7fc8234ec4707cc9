// SPDX-License-Identifier: Apache-2.0
package org.jhal.faults;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import org.jhal.faults.Corpus.Buffer;
import org.jhal.faults.Corpus.KernelFault;

/** What the sound twins compute, in plain Java. */
final class References {
  private final KernelFault fault;

  private References(KernelFault fault) {
    this.fault = fault;
  }

  /** The numbers that the buffers must hold afterwards, for all that are compared. */
  static Map<String, double[]> of(KernelFault fault) {
    return new References(fault).results();
  }

  private Map<String, double[]> results() {
    return switch (fault.name()) {
      case "axpby-last" -> Map.of("y", each(5000, i -> 2 * in("x")[i] + 0.5 * i));
      case "transpose-stride" -> Map.of("out", each(51000, i -> in("in")[i % 170 * 300 + i / 170]));
      case "fir-left" ->
          Map.of("y", each(4099, i -> sum(17, r -> in("weights")[r] * zeroPadded("x", i + r - 8))));
      case "blur-tile-rows" -> Map.of("out", each(90 * 120, i -> sum(9, k -> pixel(i, k)) / 9));
      case "histogram-top" ->
          Map.of("counts", counts(64, 6000, i -> Math.min(63, (int) bin(in("values")[i]))));
      case "rank-hole" ->
          Map.of("next", each(3001, v -> 0.5 + 0.5 * sum(6, k -> ranked(k, v)) / 6));
      case "moments-dynamic" ->
          Map.of(
              "mean", each(40, r -> sum(777, i -> in("rows")[r * 777 + i]) / 777),
              "variance", each(40, r -> variance("rows", r, 777)));
      case "row-sum-float4" -> Map.of("sums", each(50, r -> sum(1002, i -> in("x")[r * 1024 + i])));
      case "bucket-hash" -> Map.of("counts", counts(1021, 5000, i -> bucket(in("keys")[i])));
      case "difference-wrap" ->
          Map.of("out", each(4001, i -> in("in")[i] - (i > 0 ? in("in")[i - 1] : 0)));
      case "scale-half2" -> Map.of("x", each(7001, i -> in("x")[i] / 2));
      case "matvec-columns" ->
          Map.of("y", each(500, r -> sum(123, c -> in("a")[r * 123 + c] * in("v")[c])));
      case "reduce-loop" -> Map.of("sums", each(15, g -> sum("in", g * 512, (g + 1) * 512)));
      case "product-reload" -> Map.of("c", product(100, 90, 70));
      case "scan-one-buffer" ->
          Map.of(
              "out", each(3000, i -> sum("in", i / 256 * 256, i + 1)),
              "totals", each(12, g -> sum("in", g * 256, (g + 1) * 256)));
      case "warp-tail" ->
          Map.of(
              "partial",
              each(9, g -> sum(2500, i -> i / 128 % 9 == g ? in("x")[i] * in("y")[i] : 0)));
      case "norm-mean" -> Map.of("y", each(6000, this::normalized));
      case "histogram-plain" -> Map.of("histogram", counts(256, 9999, i -> (int) in("image")[i]));
      case "rows-in-place" ->
          Map.of(
              "table",
              each(
                  33 * 256,
                  i -> in("table")[i] - (i % 256 > 0 && i % 256 < 250 ? in("table")[i - 1] : 0)));
      case "variance-reuse" -> Map.of("result", each(21, r -> variance("samples", r, 300)));
      case "total-plain" -> Map.of("total", each(1, i -> sum("values", 0, 10007)));
      case "last-group-fence" ->
          Map.of("sum", each(1, i -> sum("in", 0, 6100)), "ticket", new double[1]);
      case "bfs-claim" -> claimed();
      case "best-peek" -> Map.of("best", each(1, i -> max("scores", 0, 2555)));
      case "halo-writes" ->
          Map.of("out", each(2501, i -> sum(3, r -> zeroPadded("in", i + r - 1)) / 3));
      case "jacobi-in-place" -> Map.of("fresh", each(4500, this::relaxed));
      case "reverse-guard" -> Map.of("out", each(3001, this::reversed));
      case "stride-barrier" ->
          Map.of(
              "out",
              each(
                  5000,
                  i -> {
                    int row = i / 200 * 200;
                    int first = row + i % 200 / 64 * 64;
                    return max("rows", first, Math.min(first + 64, row + 200));
                  }));
      case "warp-guard" -> Map.of("sums", each(35, w -> sum("x", w * 32, w * 32 + 32)));
      case "shuffle-source" -> compacted();
      case "bins-half-cleared" -> Map.of("bins", counts(256, 5001, i -> (int) in("values")[i]));
      case "product-accumulates" -> Map.of("c", product(60, 70, 33));
      case "padding-read" ->
          Map.of("sums", each(99, r -> sum("bytes", r * 100, (r + 1) * 100) / 255));
      case "halo-right" -> Map.of("next", each(2500, this::heated));
      case "centered-in" ->
          Map.of(
              "mean", each(70, r -> sum("x", r * 90, (r + 1) * 90) / 90),
              "x", each(6300, i -> in("x")[i] - sum("x", i / 90 * 90, (i / 90 + 1) * 90) / 90));
      case "upsample-last" -> Map.of("large", each(122 * 154, i -> between(i % 154, i / 154)));
      case "unpack-bits" -> Map.of("numbers", each(3000, this::number));
      case "tone-bytes" ->
          Map.of(
              "pixels",
              each(6001, i -> (int) (Math.min((float) in("light")[i] * 1.5f, 1f) * 255.0f + 0.5f)));
      case "bitonic-stage" -> Map.of("keys", sortedChunks(512));
      case "warp-sums-idle" -> Map.of("out", each(12, g -> sum("in", g * 1000, g * 1000 + 1000)));
      case "lock-release" ->
          Map.of(
              "lock", new double[1],
              "range",
                  new double[] {
                    Arrays.stream(in("x")).min().orElseThrow(), max("x", 0, 7001),
                  });
      case "scan-slot" -> Map.of("offset", each(3000, i -> sum("length", i / 256 * 256, i)));
      case "states-by-thread" ->
          Map.of(
              "state", each(2500, i -> drawn(i, 16)),
              "hits", each(2500, i -> sum(16, k -> (int) ((long) drawn(i, k + 1) >> 31))));
      case "reset-beside" -> Map.of("best", nearest());
      case "wave-edges" ->
          Map.of(
              "now", each(2400, this::waveNow),
              "next",
                  each(
                      2400,
                      i ->
                          i % 2399 == 0
                              ? 0
                              : 2 * waveNow(i)
                                  - in("before")[i]
                                  + 0.25 * (waveNow(i - 1) - 2 * waveNow(i) + waveNow(i + 1))));
      case "settle-loop" -> Map.of("label", each(2111, this::runBegin));
      case "cell-mean" ->
          Map.of(
              "mean",
              each(
                  42 * 75,
                  c -> in("count")[c] > 0 ? (int) in("total")[c] / (int) in("count")[c] : 0));
      case "top-four" ->
          Map.of(
              "top",
              each(
                  301 * 4,
                  i -> {
                    double[] row = Arrays.copyOfRange(in("rows"), i / 4 * 40, i / 4 * 40 + 40);
                    Arrays.sort(row);
                    return row[39 - i % 4];
                  }));
      default -> throw new AssertionError("no reference for " + fault.name());
    };
  }

  private final Map<String, double[]> inputs = new HashMap<>();

  private double[] in(String name) {
    return inputs.computeIfAbsent(
        name,
        n -> {
          Buffer buffer = Objects.requireNonNull(fault.buffers().get(n), n);
          return Values.numbers(Objects.requireNonNull(buffer.values(), n), buffer.length());
        });
  }

  private static double[] each(int count, IntToDoubleFunction element) {
    return IntStream.range(0, count).mapToDouble(element).toArray();
  }

  private static double sum(int count, IntToDoubleFunction term) {
    return IntStream.range(0, count).mapToDouble(term).sum();
  }

  private double sum(String name, int from, int to) {
    double[] all = in(name);
    return IntStream.range(from, Math.min(to, all.length)).mapToDouble(i -> all[i]).sum();
  }

  private double max(String name, int from, int to) {
    double[] all = in(name);
    return IntStream.range(from, to).mapToDouble(i -> all[i]).max().orElseThrow();
  }

  private static double[] counts(int bins, int count, IntToDoubleFunction bin) {
    double[] counts = new double[bins];
    for (int i = 0; i < count; i++) {
      counts[(int) bin.applyAsDouble(i)]++;
    }
    return counts;
  }

  private double zeroPadded(String name, int i) {
    double[] all = in(name);
    return i >= 0 && i < all.length ? all[i] : 0;
  }

  private double pixel(int i, int k) {
    int y = Math.max(0, Math.min(89, i / 120 + k / 3 - 1));
    int x = Math.max(0, Math.min(119, i % 120 + k % 3 - 1));
    return in("in")[y * 120 + x];
  }

  private static float bin(double value) {
    return (float) value / 0.99951171875f * 64;
  }

  private double ranked(int k, int v) {
    int u = (int) in("neighbors")[k * 3001 + v];
    return u >= 0 ? in("rank")[u] : 0;
  }

  private double variance(String name, int row, int length) {
    double mean = sum(length, i -> in(name)[row * length + i]) / length;
    return sum(length, i -> Math.pow(in(name)[row * length + i] - mean, 2)) / length;
  }

  private static int bucket(double key) {
    return Integer.remainderUnsigned((int) key * 0x9E3779B1, 1021);
  }

  private double[] product(int m, int n, int k) {
    return each(m * n, i -> sum(k, p -> in("a")[i / n * k + p] * in("b")[p * n + i % n]));
  }

  private double normalized(int i) {
    int row = i / 200;
    double mean = sum("x", row * 200, row * 200 + 200) / 200;
    double scale = 1 / Math.sqrt(variance("x", row, 200) + 0.0009765625);
    return (in("x")[i] - mean) * scale * in("gain")[i % 200] + in("bias")[i % 200];
  }

  /** Buffers whose order is open are compared sorted: their names have a prefix. */
  private Map<String, double[]> claimed() {
    double[] level = in("level").clone();
    List<Double> next = new ArrayList<>();
    for (int v = 0; v < 1000; v++) {
      for (int e = 0; e < 4; e++) {
        int u = (int) in("neighbors")[v * 4 + e];
        if (u >= 0 && level[u] == -1) {
          level[u] = 2;
          next.add((double) u);
        }
      }
    }
    return Map.of(
        "level", level, "count", new double[] {next.size()}, "sorted:next", padded(next, 4000));
  }

  private Map<String, double[]> compacted() {
    List<Double> odd = new ArrayList<>();
    for (double value : in("in")) {
      if (value % 2 == 1) {
        odd.add(value);
      }
    }
    return Map.of("count", new double[] {odd.size()}, "sorted:out", padded(odd, 2000));
  }

  private static double[] padded(List<Double> values, int length) {
    return each(length, i -> i < values.size() ? values.get(i) : -1);
  }

  private double relaxed(int i) {
    int x = i % 100;
    int y = i / 100;
    double[] g = in("grid");
    return x > 0 && x < 99 && y > 0 && y < 44
        ? 0.25 * (g[i - 1] + g[i + 1] + g[i - 100] + g[i + 100])
        : 0;
  }

  private double reversed(int i) {
    int first = i / 256 * 256;
    int length = Math.min(256, 3001 - first);
    return in("in")[first + length - 1 - (i - first)];
  }

  private double heated(int i) {
    double[] now = in("now");
    return now[i] + 0.25 * (now[Math.max(i - 1, 0)] - 2 * now[i] + now[Math.min(i + 1, 2499)]);
  }

  private double between(int x2, int y2) {
    int x = x2 / 2;
    int y = y2 / 2;
    int right = Math.min(x + x2 % 2, 76);
    int below = Math.min(y + y2 % 2, 60);
    double[] p = in("small");
    return ((int) (p[y * 77 + x] + p[y * 77 + right] + p[below * 77 + x] + p[below * 77 + right])
            + 2)
        / 4;
  }

  private double[] sortedChunks(int length) {
    double[] keys = in("keys").clone();
    for (int first = 0; first < keys.length; first += length) {
      Arrays.sort(keys, first, Math.min(first + length, keys.length));
    }
    return keys;
  }

  private double drawn(int i, int times) {
    int state = (int) (long) in("state")[i];
    for (int k = 0; k < times; k++) {
      state = state * 1664525 + 1013904223;
    }
    return Integer.toUnsignedLong(state);
  }

  private double[] nearest() {
    double[] p = in("points");
    return new double[] {
      IntStream.range(0, 2501)
          .mapToDouble(i -> Math.pow(p[2 * i] - 500, 2) + Math.pow(p[2 * i + 1] - 300, 2))
          .min()
          .orElseThrow()
    };
  }

  private double waveNow(int i) {
    double[] b = in("before");
    return i % 2399 == 0 ? 0 : b[i] + 0.125 * (b[i - 1] - 2 * b[i] + b[i + 1]);
  }

  private double runBegin(int i) {
    double[] color = in("color");
    int begin = i;
    while (begin % 128 != 0 && color[begin - 1] == color[i]) {
      begin--;
    }
    return begin;
  }

  private double number(int i) {
    long low = (long) in("words")[i * 12 / 32];
    long high = (long) in("words")[i * 12 / 32 + 1];
    return (low | high << 32) >> i * 12 % 32 & 0xfff;
  }
}
