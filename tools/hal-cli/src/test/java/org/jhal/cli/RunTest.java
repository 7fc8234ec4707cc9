// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import static org.jhal.cli.Outcome.hal;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jhal.ElementType;
import org.jhal.cli.data.DataFiles;
import org.jhal.cli.data.DataSource;
import org.jhal.cli.data.Shape;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code hal run} as a user runs it, on the mock. */
@Timeout(120)
class RunTest extends RunFixture {
  private static final Path EXAMPLES = Path.of("../../examples");

  // The examples

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void detectsTheEdgesOfAPicture(int channels) throws IOException {
    Shape shape = Shape.of(37, 51, channels);
    byte[] samples = random(shape.elements(), channels);
    Path in = array("in.png", ElementType.U8, shape, samples);
    Path out = folder.resolve("out.png");
    hal(
            "run",
            EXAMPLES + "/edges",
            "--device",
            "mock",
            "--arg",
            "image=" + in,
            "--out",
            "edges=" + out)
        .succeeded();
    try (DataSource result = DataFiles.open(out)) {
      assertEquals(Shape.of(37, 51, 1), result.shape());
    }
    assertArrayEquals(edges(samples, 51, 37, channels), read(out));
  }

  @Test
  void runsTheExampleOfTheReadme() throws IOException {
    Path in = EXAMPLES.resolve("edges/input.png");
    Path out = folder.resolve("edges.png");
    Outcome outcome =
        hal(
                "run",
                EXAMPLES + "/edges",
                "--device",
                "mock",
                "--arg",
                "image=" + in,
                "--out",
                "edges=" + out)
            .succeeded();
    assertEquals("wrote " + out + ": u8 480,640,1" + System.lineSeparator(), outcome.out());
    assertArrayEquals(edges(read(in), 640, 480, 3), read(out));
  }

  /** A second implementation of the filter, by convolution. */
  private static byte[] edges(byte[] samples, int width, int height, int channels) {
    int[] grey = new int[width * height];
    for (int i = 0; i < grey.length; i++) {
      int red = samples[i * channels] & 0xff;
      grey[i] =
          channels < 3
              ? red
              : (77 * red
                      + 150 * (samples[i * channels + 1] & 0xff)
                      + 29 * (samples[i * channels + 2] & 0xff)
                      + 128)
                  / 256;
    }
    int[] weights = {1, 2, 1};
    byte[] result = new byte[width * height];
    for (int y = 0; y < height; y++) {
      for (int x = 0; x < width; x++) {
        int gx = 0;
        int gy = 0;
        for (int dy = -1; dy <= 1; dy++) {
          for (int dx = -1; dx <= 1; dx++) {
            int column = Math.max(0, Math.min(width - 1, x + dx));
            int row = Math.max(0, Math.min(height - 1, y + dy));
            gx += dx * weights[dy + 1] * grey[row * width + column];
            gy += dy * weights[dx + 1] * grey[row * width + column];
          }
        }
        result[y * width + x] = (byte) (255 - Math.min(255, Math.abs(gx) + Math.abs(gy)));
      }
    }
    return result;
  }

  @Test
  void readsAndWritesNumbersOf16Bits() throws IOException {
    String hints = "'groups': [1]";
    Path bundle =
        bundle(
            kernel("half", constant("f", "f16") + ", " + buffer("x", "f16", "inout"), hints),
            kernel("brain", constant("f", "bf16") + ", " + buffer("x", "bf16", "inout"), hints));
    for (ElementType type : new ElementType[] {ElementType.F16, ElementType.BF16}) {
      boolean isHalf = type == ElementType.F16;
      byte[] given = new byte[4]; // 2 and -0.5
      byte[] expected = new byte[4]; // 3 and -0.75
      int[] bits = isHalf ? new int[] {0x4000, 0xB800} : new int[] {0x4000, 0xBF00};
      int[] results = isHalf ? new int[] {0x4200, 0xBA00} : new int[] {0x4040, 0xBF40};
      for (int i = 0; i < 4; i++) {
        given[i] = (byte) (bits[i / 2] >> 8 * (i % 2));
        expected[i] = (byte) (results[i / 2] >> 8 * (i % 2));
      }
      Path in = array(type + ".npy", type, Shape.of(2), given);
      Path out = folder.resolve(type + "-out.npy");
      Path named = Path.of(bundle + (isHalf ? ":half" : ":brain"));
      run(named, "--arg", "f=1.5", "--arg", "x=" + in, "--out", "x=" + out).succeeded();
      byte[] written = Files.readAllBytes(out);
      assertArrayEquals(
          expected, Arrays.copyOfRange(written, written.length - 4, written.length), type.label());
      Path other = Path.of(bundle + (isHalf ? ":brain" : ":half"));
      run(other, "--arg", "f=1.5", "--arg", "x=" + in).failed(2, type.label());
      run(named, "--arg", "f=1e39", "--arg", "x=" + in).failed(2, "1e39", type.label());
    }
  }

  @Test
  void runsABundleInAnArchive() throws IOException {
    Path in = EXAMPLES.resolve("edges/input.png");
    byte[] expected = edges(read(in), 640, 480, 3);
    for (String name : List.of("edges.zip", "edges.jar", "edges")) {
      Path archive = folder.resolve(name);
      zip(archive, "manifest.json", Files.readString(EXAMPLES.resolve("edges/manifest.json")));
      Path out = folder.resolve("edges.png");
      hal(
              "run",
              archive + ":edges",
              "--device",
              "mock",
              "--arg",
              "image=" + in,
              "--out",
              "edges=" + out)
          .succeeded();
      assertArrayEquals(expected, read(out));
    }
  }

  @Test
  void saxpyRunsOnArraysOfNumpyAndInPlace() throws IOException {
    Path y = Files.copy(EXAMPLES.resolve("saxpy/y.npy"), folder.resolve("y.npy"));
    hal(
            "run",
            EXAMPLES + "/saxpy",
            "--device=mock",
            "--arg",
            "a=2",
            "--arg",
            "x=" + EXAMPLES.resolve("saxpy/x.npy"),
            "--arg",
            "y=" + y,
            "--out",
            "y=" + y,
            "--force")
        .succeeded();
    ByteBuffer result = ByteBuffer.wrap(read(y)).order(ByteOrder.nativeOrder());
    for (int i = 0; i < 1000; i++) {
      assertEquals(2 * (i / 8.0f) + (1000 - i), result.getFloat(4 * i), "element " + i);
    }
  }

  // Inputs and outputs

  @Test
  void passesConstantsOfEachType() throws IOException {
    List<String> types =
        List.of("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64");
    List<String> values =
        List.of(
            "-128",
            "255",
            "-32768",
            "0xffff",
            "-2147483648",
            "4294967295",
            "-9223372036854775808",
            "18446744073709551615",
            "0.1",
            "-inf");
    StringBuilder parameters = new StringBuilder(buffer("result", "u64", "out"));
    List<String> args = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      String name = "c" + i;
      parameters.append(", ").append(constant(name, types.get(i)));
      args.addAll(List.of("--arg", name + "=" + values.get(i)));
    }
    Path bundle = bundle(kernel("constants", parameters.toString(), ""));
    Path out = folder.resolve("result.npy");
    args.addAll(0, List.of("run", bundle.toString(), "--device", "mock", "--groups", "1"));
    args.addAll(List.of("--out", "result=" + out, "--shape", "result=10"));
    hal(args.toArray(new String[0])).succeeded();
    ByteBuffer result = ByteBuffer.wrap(read(out)).order(ByteOrder.nativeOrder());
    long[] integers = {
      -128, 255, -32768, 65535, Integer.MIN_VALUE, 4294967295L, Long.MIN_VALUE, -1
    };
    for (int i = 0; i < integers.length; i++) {
      assertEquals(integers[i], result.getLong(8 * i), types.get(i));
    }
    assertEquals(0.1f, result.getDouble(64));
    assertEquals(Double.NEGATIVE_INFINITY, result.getDouble(72));
  }

  @Test
  void readsAndWritesEveryFormat() throws IOException {
    Path bundle = bundle(kernel("increment", buffer("data", "u8", "inout"), ""));
    Random random = new Random(50);
    for (int i = 0; i < 30; i++) {
      Shape shape = Shape.of(1 + random.nextInt(9), 1 + random.nextInt(9), 1 + random.nextInt(4));
      byte[] samples = random(shape.elements(), i);
      String from = List.of("bin", "npy", "png").get(random.nextInt(3));
      String to = List.of("bin", "npy", "png").get(random.nextInt(3));
      Path in = array("in." + from, ElementType.U8, shape, samples);
      Path out = folder.resolve("out." + to);
      hal(
              "run",
              bundle.toString(),
              "--device",
              "mock",
              "--arg",
              "data=" + in,
              "--out",
              "data=" + out,
              "--shape",
              "data=" + shape,
              "--groups",
              "1")
          .succeeded();
      for (int k = 0; k < samples.length; k++) {
        samples[k]++;
      }
      assertArrayEquals(samples, read(out), "from " + from + " to " + to + ", shape " + shape);
    }
  }

  @Test
  void acceptsAnEmptyArray() throws IOException {
    Path bundle = bundle(kernel("increment", buffer("data", "u8", "inout"), ""));
    Path in = array("in.npy", ElementType.U8, Shape.of(0, 3), new byte[0]);
    Path out = folder.resolve("out.npy");
    run(bundle, "--arg", "data=" + in, "--out", "data=" + out, "--groups", "1").succeeded();
    try (DataSource result = DataFiles.open(out)) {
      assertEquals(Shape.of(0, 3), result.shape());
    }
  }

  @Test
  @Tag("long")
  void uploadsAnInputOfMoreThanTwoGibibytes() throws IOException {
    long elements = (1L << 31) + 5000;
    Path in = folder.resolve("large.bin");
    try (FileChannel channel =
        FileChannel.open(in, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(new byte[] {17}));
      channel.write(ByteBuffer.wrap(new byte[] {18}), elements - 1); // a hole is between them
    }
    Path bundle =
        bundle(
            kernel(
                "ends",
                buffer("data", "u8", "in") + ", " + buffer("ends", "u8", "out"),
                "'groups': [1], 'shapes': {'ends': [2]}"));
    Path out = folder.resolve("ends.bin");
    run(bundle, "--arg", "data=" + in, "--out", "ends=" + out).succeeded();
    assertArrayEquals(new byte[] {17, 18}, Files.readAllBytes(out));
  }

  @Test
  void repeatPrintsTimesAndDoesNotAccumulate() throws IOException {
    Path bundle = bundle(kernel("increment", buffer("data", "u8", "inout"), "'groups': [1]"));
    Path in = array("in.npy", ElementType.U8, Shape.of(3), new byte[] {1, 2, 3});
    Path out = folder.resolve("out.npy");
    Outcome outcome =
        run(bundle, "--arg", "data=" + in, "--out", "data=" + out, "--repeat", "5").succeeded();
    assertArrayEquals(new byte[] {2, 3, 4}, read(out));
    List<String> lines = outcome.out().lines().toList();
    assertEquals("wrote " + out + ": u8 3", lines.get(0));
    assertTrue(lines.get(1).matches(" +first +median +min"), outcome::toString);
    String times = "( +[0-9]+\\.[0-9]+ (us|ms|s)){3}";
    assertTrue(lines.get(2).matches("submit" + times), outcome::toString);
    assertTrue(lines.get(3).matches("device" + times), outcome::toString);
    assertTrue(lines.get(4).matches("total " + times), outcome::toString);
    assertEquals(5, lines.size());
  }

  @Test
  void theMedianOfAnEvenNumberIsBetweenTheTwoInTheMiddle() {
    assertEquals(5, RunCommand.median(5));
    assertEquals(6, RunCommand.median(4, 8));
    assertEquals(7, RunCommand.median(1, 7, 100));
    assertEquals(8, RunCommand.median(1, 7, 9, 100));
  }

  // Grids

  @Test
  void runsNothingForAZeroGrid() throws IOException {
    Path bundle = bundle(kernel("fail", buffer("data", "u8", "out"), "'shapes': {'data': [3]}"));
    Path out = folder.resolve("out.bin");
    for (String grid : List.of("0", "5,0", "1,1,0")) {
      run(bundle, "--out", "data=" + out, "--groups", grid).succeeded();
      assertArrayEquals(new byte[3], Files.readAllBytes(out));
    }
  }

  @Test
  void refusesAHugeGrid() throws IOException {
    Path bundle = bundle(kernel("count", "", ""));
    int before = TestKernels.COUNT.get();
    run(bundle, "--groups", "2147483647,2147483647,2147483647").failed(2, "OUT_OF_RANGE", "limit");
    run(bundle, "--groups", "2147483648").failed(2, "OUT_OF_RANGE", "2147483648");
    run(bundle, "--groups", "-1").failed(2, "OUT_OF_RANGE", "-1");
    run(bundle).failed(2, "still needs --groups");
    assertEquals(before, TestKernels.COUNT.get());
    run(bundle, "--groups", "3,2").succeeded();
    assertEquals(before + 6, TestKernels.COUNT.get());
  }
}
