// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.kernel;

import static org.jhal.ElementType.F32;
import static org.jhal.ElementType.I32;
import static org.jhal.ElementType.I64;
import static org.jhal.ElementType.U32;
import static org.jhal.ElementType.U64;
import static org.jhal.ElementType.U8;
import static org.jhal.bench.kernel.PlainKernel.Style.BARRIERS;
import static org.jhal.bench.kernel.PlainKernel.Style.BYTES;
import static org.jhal.bench.kernel.PlainKernel.Style.ITEMS;
import static org.jhal.bench.kernel.PlainKernel.Style.UNEVEN;
import static org.jhal.bench.kernel.PlainKernel.Style.WARPS;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;
import org.jhal.ElementType;
import org.jhal.Parameter;
import org.jhal.Workgroups;

/**
 * The kernels of {@code plain/*.cu}, with arguments that are the same in each run. Where a peer may
 * add many floats in another order, they are small whole numbers, whose sums are exact.
 */
public final class PlainKernels {
  private static final int K = 1 << 10;
  private static final int M = 1 << 20;

  private static final List<PlainKernel> ALL = new ArrayList<>();

  static {
    items();
    barriers();
    warps();
    bytes();
    uneven();
  }

  private PlainKernels() {}

  /** By style, in the order of the files. */
  public static List<PlainKernel> all() {
    return List.copyOf(ALL);
  }

  private static void items() {
    int n = 256 * K;
    add(
        ITEMS,
        "scale_add",
        line(256, n),
        40,
        i32("n", n),
        f32("a", 2.5f),
        floats("x", n),
        floats("y", n),
        out("out", F32, n));
    add(
        ITEMS,
        "blend",
        line(256, n),
        40,
        floats("x", n),
        floats("y", n),
        out("out", F32, n),
        f32("t", 0.3f),
        u32("n", n));
    add(
        ITEMS,
        "polynomial",
        line(128, n),
        2,
        floats("x", n),
        floats("coefficients", 16),
        out("y", F32, n),
        i32("degree", 15),
        value(Parameter.constant("n", U64), () -> (long) n));
    add(
        ITEMS,
        "magnitude",
        new Grid(Workgroups.of(256), Workgroups.of(64)),
        5,
        floats("re", n),
        floats("im", n),
        out("out", F32, n),
        i32("n", n));
    add(
        ITEMS,
        "matrix_add",
        plane(16, 16, 1000, 500),
        20,
        floats("a", 1000 * 500),
        floats("b", 1000 * 500),
        out("c", F32, 1000 * 500),
        i32("width", 1000),
        i32("height", 500));
    add(
        ITEMS,
        "jacobi",
        plane(32, 8, K, 512),
        20,
        i32("nx", K),
        i32("ny", 512),
        floats("in", K * 512),
        out("out", F32, K * 512));
    add(
        ITEMS,
        "blur",
        plane(16, 16, 800, 600),
        10,
        floats("src", 800 * 600),
        out("dst", F32, 800 * 600),
        i32("width", 800),
        i32("height", 600));
    add(
        ITEMS,
        "convolution",
        plane(16, 16, 640, 480),
        4,
        floats("image", 640 * 480),
        floats("mask", 25),
        out("result", F32, 640 * 480),
        i32("width", 640),
        i32("height", 480),
        i32("radius", 2));
    add(
        ITEMS,
        "laplace3d",
        plane(32, 4, 96, 96),
        10,
        floats("u", 96 * 96 * 64),
        out("v", F32, 96 * 96 * 64),
        i32("nx", 96),
        i32("ny", 96),
        i32("nz", 64));
    add(
        ITEMS,
        "sgemm_naive",
        plane(16, 16, 256, 256),
        2,
        i32("M", 256),
        i32("N", 256),
        i32("K", 256),
        f32("alpha", 0.5f),
        floats("A", 256 * 256),
        floats("B", 256 * 256),
        out("C", F32, 256 * 256));
    add(
        ITEMS,
        "row_product",
        line(256, K),
        4,
        floats("A", K * K),
        floats("x", K),
        out("y", F32, K),
        i32("rows", K),
        i32("cols", K));
    add(
        ITEMS,
        "column_product",
        line(256, K),
        20,
        floats("A", K * K),
        floats("x", K),
        out("y", F32, K),
        i32("rows", K),
        i32("cols", K));
    add(
        ITEMS,
        "distances",
        new Grid(Workgroups.of(256), Workgroups.of(n / 256 / 8, 8)),
        4,
        floats("places", 2 * n),
        out("out", F32, n),
        i32("count", n - 100),
        f32("lat", 0.25f),
        f32("lng", -0.5f));
    int points = 32 * K;
    add(
        ITEMS,
        "nearest_center",
        line(256, points),
        1,
        whole("features", 8 * points, 32),
        whole("centers", 8 * 16, 32),
        out("membership", I32, points),
        i32("npoints", points),
        i32("ncenters", 16),
        i32("nfeatures", 8));
    add(
        ITEMS,
        "argmax_rows",
        line(128, 10_000),
        5,
        floats("scores", 10_000 * 64),
        out("labels", I32, 10_000),
        i32("rows", 10_000),
        i32("classes", 64));
  }

  private static void barriers() {
    int columns = 100_000;
    add(
        BARRIERS,
        "cheapest_path",
        new Grid(Workgroups.of(256), Workgroups.of(groups(columns, 256 - 2 * 20))),
        4,
        i32("cols", columns),
        i32("steps", 20),
        ints("wall", 20 * columns, 10),
        ints("src", columns, 10),
        out("dst", I32, columns));
    add(
        BARRIERS,
        "heat",
        new Grid(Workgroups.of(16, 16), Workgroups.of(groups(640, 12), groups(480, 12))),
        4,
        floats("power", 640 * 480),
        floats("tempIn", 640 * 480),
        out("tempOut", F32, 640 * 480),
        i32("cols", 640),
        i32("rows", 480),
        f32("k", 0.1f),
        f32("cap", 0.5f));
    add(
        BARRIERS,
        "block_sums",
        line(256, M / 4),
        5,
        whole("in", M / 2, 16),
        out("out", F32, M / 1024),
        u32("n", M / 2));
    add(
        BARRIERS,
        "block_argmax",
        line(256, M / 2),
        5,
        floats("values", M / 2),
        out("where", I32, M / 512),
        i32("n", M / 2));
    add(
        BARRIERS,
        "sgemm_tiled",
        plane(16, 16, 256, 256),
        2,
        floats("A", 256 * 256),
        floats("B", 256 * 256),
        out("C", F32, 256 * 256),
        i32("M", 256),
        i32("N", 256),
        i32("K", 256));
    add(
        BARRIERS,
        "block_scan",
        line(256, M / 2),
        5,
        ints("in", M / 2, 100),
        out("out", I32, M / 2),
        i32("n", M / 2 - 100));
    add(
        BARRIERS,
        "tree_scan",
        line(256, M / 4),
        5,
        ints("g_idata", M / 2, 100),
        out("g_odata", I32, M / 2),
        i32("length", M / 2));
    add(
        BARRIERS,
        "transpose",
        new Grid(Workgroups.of(32, 8), Workgroups.of(K / 32, 512 / 32)),
        1,
        out("odata", F32, K * 512),
        floats("idata", K * 512),
        i32("width", K),
        i32("height", 512));
    add(
        BARRIERS,
        "stencil_1d",
        line(256, M),
        5,
        ints("in", M + 6, 1000),
        out("out", I32, M),
        i32("n", M));
  }

  private static void warps() {
    add(
        WARPS,
        "rms_norm",
        new Grid(Workgroups.of(256), Workgroups.of(512)),
        3,
        whole("x", 512 * K, 8),
        floats("weight", K),
        out("dst", F32, 512 * K),
        i32("nrows", 512),
        i32("ncols", K),
        f32("eps", 1e-6f));
    add(
        WARPS,
        "layer_norm",
        line(256, 32 * 1000),
        2,
        whole("inp", 1000 * 768, 8),
        floats("weight", 768),
        floats("bias", 768),
        out("out", F32, 1000 * 768),
        i32("N", 1000),
        i32("C", 768));
    add(
        WARPS,
        "softmax_rows",
        new Grid(Workgroups.of(128), Workgroups.of(256)),
        1,
        floats("in", 256 * 1000),
        out("out", F32, 256 * 1000),
        i32("rows", 256),
        i32("cols", 1000));
    add(
        WARPS,
        "warp_scan",
        line(256, M / 2),
        5,
        ints("in", M / 2, 100),
        out("out", I32, M / 2),
        i32("n", M / 2 - 100));
    add(
        WARPS,
        "compact",
        line(256, M / 2),
        1,
        ints("in", M / 2, 100),
        out("out", I32, M / 512 * 257),
        i32("n", M / 2 - 100),
        i32("limit", 49));
    add(
        WARPS,
        "warp_gemv",
        line(256, 32 * K),
        3,
        whole("A", K * K, 16),
        whole("x", K, 16),
        out("y", F32, K),
        i32("rows", K),
        i32("cols", K));
    add(
        WARPS,
        "warp_product",
        new Grid(Workgroups.of(32, 8), Workgroups.of(4, 16)),
        10,
        whole("A", 128 * 128, 16),
        whole("B", 128 * 128, 16),
        out("C", F32, 128 * 128),
        i32("M", 128),
        i32("N", 128),
        i32("K", 128));
    add(
        WARPS,
        "warp_votes",
        line(256, M / 2),
        5,
        value(
            Parameter.in("in", I32),
            () -> ints(M / 2, i -> random(i, 100) + 2 * (i % 4096 / 32) - 3)),
        out("out", I32, M / 64),
        i32("n", M / 2),
        i32("limit", 90));
  }

  private static void bytes() {
    int pixels = 640 * 480;
    add(
        BYTES,
        "sobel",
        plane(16, 16, 640, 480),
        15,
        bytes("image", 3 * pixels),
        out("out", U8, pixels),
        i32("width", 640),
        i32("height", 480));
    add(
        BYTES,
        "rgb_to_gray",
        line(256, pixels),
        25,
        bytes("rgb", 3 * pixels),
        out("gray", U8, pixels),
        i32("n", pixels - 10));
    add(
        BYTES,
        "nv12_to_rgb",
        plane(32, 8, 640, 480),
        2,
        bytes("luma", pixels),
        bytes("chroma", pixels / 2),
        out("rgb", U8, 3 * pixels),
        i32("width", 640),
        i32("height", 480));
    add(BYTES, "histogram", line(256, M), 4, bytes("data", M), out("bins", I32, 256), i32("n", M));
    add(
        BYTES,
        "histogram_shared",
        new Grid(Workgroups.of(256), Workgroups.of(64)),
        4,
        bytes("buffer", M),
        out("histo", U32, 256),
        value(Parameter.constant("size", I64), () -> (long) M));
    add(
        BYTES,
        "resize_bilinear",
        plane(16, 16, 640, 480),
        2,
        bytes("src", 400 * 300),
        out("dst", U8, pixels),
        i32("src_w", 400),
        i32("src_h", 300),
        i32("dst_w", 640),
        i32("dst_h", 480));
  }

  private static void uneven() {
    add(
        UNEVEN,
        "mandelbrot",
        0.01,
        plane(16, 16, 320, 240),
        1,
        out("iterations", I32, 320 * 240),
        i32("width", 320),
        i32("height", 240),
        f32("x0", -2),
        f32("y0", -1.125f),
        f32("scale", 1 / 107f),
        i32("maxIter", 256));
    add(
        UNEVEN,
        "julia_set",
        0.01,
        plane(16, 16, 256, 256),
        1,
        out("steps", I32, 256 * 256),
        i32("dim", 256),
        f32("re", -0.8f),
        f32("im", 0.156f));
    add(
        UNEVEN,
        "collatz",
        line(256, 40_000),
        1,
        u32("first", 1),
        out("steps", I32, 40_000),
        i32("n", 40_000));
    add(
        UNEVEN,
        "random_walk",
        line(128, 8_000),
        1,
        u32("seed", 12345),
        out("out", I32, 8_000),
        i32("walkers", 8_000),
        i32("bound", 12),
        i32("most", 1000));
    add(
        UNEVEN,
        "first_below",
        line(256, 20_000),
        1,
        value(Parameter.in("changes", I32), () -> ints(100 * 20_000, i -> random(i, 9) - 4)),
        out("day", I32, 20_000),
        i32("accounts", 20_000),
        i32("days", 100));
    add(
        UNEVEN,
        "binary_search",
        line(256, 64 * K),
        1,
        value(Parameter.in("table", I32), () -> ints(100_000, i -> 10 * i)),
        i32("n", 100_000),
        ints("queries", 64 * K, 1_100_000),
        out("results", I32, 64 * K),
        i32("q", 64 * K));
    add(
        UNEVEN,
        "kepler",
        line(256, 32 * K),
        1,
        floats("anomaly", 32 * K),
        value(Parameter.in("eccentricity", F32), () -> floats(32 * K, i -> random(i, 900), 1e-3f)),
        ints("mask", 32 * K, 3),
        out("result", F32, 32 * K),
        i32("n", 32 * K));
  }

  private record Grid(Workgroups workgroup, Workgroups groups) {}

  private static void add(
      PlainKernel.Style style, String kernel, Grid grid, int repeats, PlainKernel.Value... values) {
    add(style, kernel, 0, grid, repeats, values);
  }

  private static void add(
      PlainKernel.Style style,
      String kernel,
      double differing,
      Grid grid,
      int repeats,
      PlainKernel.Value... values) {
    ALL.add(
        new PlainKernel(
            style,
            kernel,
            grid.workgroup(),
            grid.groups(),
            repeats,
            Arrays.asList(values),
            differing));
  }

  /** Workgroups of {@code block} items that cover {@code items}. */
  private static Grid line(int block, int items) {
    return new Grid(Workgroups.of(block), Workgroups.of(groups(items, block)));
  }

  private static Grid plane(int x, int y, int width, int height) {
    return new Grid(Workgroups.of(x, y), Workgroups.of(groups(width, x), groups(height, y)));
  }

  private static int groups(int items, int block) {
    return (items + block - 1) / block;
  }

  private static PlainKernel.Value value(Parameter parameter, Supplier<Object> made) {
    return new PlainKernel.Value(parameter, made);
  }

  private static PlainKernel.Value i32(String name, int value) {
    return value(Parameter.constant(name, I32), () -> value);
  }

  private static PlainKernel.Value u32(String name, int value) {
    return value(Parameter.constant(name, U32), () -> value);
  }

  private static PlainKernel.Value f32(String name, float value) {
    return value(Parameter.constant(name, F32), () -> value);
  }

  /** A buffer of zeros that the kernel writes; histograms add to them. */
  private static PlainKernel.Value out(String name, ElementType type, int count) {
    return value(Parameter.inout(name, type), () -> direct(type.bytes() * count));
  }

  /** From -1 to 1. */
  private static PlainKernel.Value floats(String name, int count) {
    return value(
        Parameter.in(name, F32),
        () -> floats(count, i -> random(i + name.hashCode(), 1 << 24) - (1 << 23), 0x1p-23f));
  }

  /** Whole numbers from 0 to {@code below - 1}. */
  private static PlainKernel.Value whole(String name, int count, int below) {
    return value(
        Parameter.in(name, F32), () -> floats(count, i -> random(i + name.hashCode(), below), 1));
  }

  /** From 0 to {@code below - 1}. */
  private static PlainKernel.Value ints(String name, int count, int below) {
    return value(
        Parameter.in(name, I32), () -> ints(count, i -> random(i + name.hashCode(), below)));
  }

  private static PlainKernel.Value bytes(String name, int count) {
    return value(
        Parameter.in(name, U8),
        () -> {
          ByteBuffer made = direct(count);
          for (int i = 0; i < count; i++) {
            made.put(i, (byte) random(i, 256));
          }
          return made;
        });
  }

  private static ByteBuffer ints(int count, IntUnaryOperator element) {
    ByteBuffer made = direct(4 * count);
    for (int i = 0; i < count; i++) {
      made.putInt(4 * i, element.applyAsInt(i));
    }
    return made;
  }

  private static ByteBuffer floats(int count, IntUnaryOperator element, float scale) {
    ByteBuffer made = direct(4 * count);
    for (int i = 0; i < count; i++) {
      made.putFloat(4 * i, element.applyAsInt(i) * scale);
    }
    return made;
  }

  /** A number below {@code below} that is the same for the same {@code i}. */
  private static int random(int i, int below) {
    long mixed = (i + 1) * 0x9E3779B97F4A7C15L;
    mixed = (mixed ^ mixed >>> 32) * 0xD6E8FEB86659FD93L;
    return (int) ((mixed >>> 33) % below);
  }

  private static ByteBuffer direct(int bytes) {
    return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
  }
}
