// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import static org.jhal.cli.Outcome.hal;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The examples that compute with floating point, and the one on several devices, on the mock. */
@Timeout(60)
class ExamplesTest extends RunFixture {
  private static final Path EXAMPLES = Path.of("../../examples");

  private Path write(String name, float... values) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(4 * values.length).order(ByteOrder.nativeOrder());
    bytes.asFloatBuffer().put(values);
    return Files.write(folder.resolve(name), bytes.array());
  }

  private static float[] floats(Path file) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(read(file)).order(ByteOrder.nativeOrder());
    float[] values = new float[bytes.remaining() / 4];
    bytes.asFloatBuffer().get(values);
    return values;
  }

  /** Whole numbers, so that sums are exact in any order. */
  private static float[] numbers(int count, int modulus) {
    float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = i % modulus - modulus / 2;
    }
    return values;
  }

  /** Without a compiler the kernel runs in Java, in the only way that there is. */
  @Test
  void repeatPrintsHowTheCpuRunsTheKernel() throws IOException {
    Path values = write("values.bin", numbers(1000, 97));
    String[] run = {
      "run",
      EXAMPLES.resolve("reduction").toString(),
      "--device=cpu",
      "--arg=groups=3",
      "--arg=values=" + values,
      "--out=sums=" + folder.resolve("sums.bin"),
      "--repeat=2"
    };
    boolean isCompiled = hal("devices").out().contains("kernels are compiled by ");
    String out = hal(run).succeeded().out();
    assertEquals(isCompiled, out.contains(": divided at its barriers"), out);
  }

  @ParameterizedTest
  @CsvSource({"1,1", "255,1", "257,1", "1000,3", "1000,1024", "70000,64"})
  void theReductionAddsEachValueOnce(int count, int groups) throws IOException {
    float[] values = numbers(count, 97);
    Path sums = folder.resolve("sums.bin");
    run(
            EXAMPLES.resolve("reduction"),
            "--arg=groups=" + groups,
            "--arg=values=" + write("values.bin", values),
            "--out=sums=" + sums)
        .succeeded();
    float[] expected = new float[groups];
    for (int i = 0; i < count; i++) {
      expected[i / 256 % groups] += values[i];
    }
    float[] got = floats(sums);
    assertEquals(groups, got.length);
    for (int group = 0; group < groups; group++) {
      assertEquals(expected[group], got[group], "group " + group);
    }
  }

  @ParameterizedTest
  @CsvSource({"1,1,1", "16,16,16", "17,33,15", "5,100,40"})
  void matmulMultipliesTheMatrices(int rows, int inner, int columns) throws IOException {
    float[] a = numbers(rows * inner, 13);
    float[] b = numbers(inner * columns, 17);
    Path c = folder.resolve("c.bin");
    run(
            EXAMPLES.resolve("matmul"),
            "--arg=a=" + write("a.bin", a),
            "--shape=a=" + rows + "," + inner,
            "--arg=b=" + write("b.bin", b),
            "--shape=b=" + inner + "," + columns,
            "--out=c=" + c)
        .succeeded();
    float[] got = floats(c);
    assertEquals(rows * columns, got.length);
    for (int row = 0; row < rows; row++) {
      for (int column = 0; column < columns; column++) {
        float sum = 0;
        for (int k = 0; k < inner; k++) {
          sum += a[row * inner + k] * b[k * columns + column];
        }
        assertEquals(sum, got[row * columns + column], "row " + row + ", column " + column);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "2", "977"})
  void theMockIsAccurate(String seed) {
    String out = hal("accuracy", "--device", "mock", "--seed", seed).succeeded().out();
    for (String example : new String[] {"saxpy", "reduction", "matmul"}) {
      assertTrue(
          out.matches("(?s).*\\R" + example + " +largest error \\S+, bound \\S+: ok.*"), out);
    }
  }

  @Test
  void accuracyRefusesInvalidArguments() {
    hal("accuracy", "--devise", "mock").failed(2, "'--devise', did you mean '--device'?");
    hal("accuracy", "--seed", "x").failed(2, "'--seed'", "'x' is no whole number");
    hal("accuracy", "--seed", "-1").failed(2, "--seed -1 is not from 0 to 999999999999999999");
    hal("accuracy", "--operands", "0")
        .failed(2, "--operands 0 is not from 1 to 4294967296 (see hal accuracy --help)");
    hal("accuracy", "--operands", "4294967297").failed(2, "--operands 4294967297 is not from 1");
    hal("accuracy", "--kernels", "/no/such").failed(2, "--kernels /no/such is no folder");
    hal("accuracy", "--device", "nosuch").failed(3, "nosuch");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "mock; generate 0, smooth 0, sum 0, readback 0",
        "mock mock; generate 0, smooth 0, copy 0>0, sum 0, readback 0",
        "mock mock mock; generate 0, copy 0>0, smooth 0, copy 0>0, sum 0, readback 0",
        "mock://2?devices=3 mock://1?devices=3; generate 2, smooth 2, copy 2>1, sum 1, readback 1",
        "mock://2?devices=3&seed=5 mock://0?seed=6&queues=1 mock://1?devices=2 mock://3?devices=4;"
            + " generate 2, copy 2>0, smooth 0, copy 0>1, smooth 1, copy 1>3, sum 3, readback 3",
      })
  void thePipelinePrintsTheDeviceOfEachStep(String devices, String steps) {
    List<String> args = new ArrayList<>(List.of("pipeline"));
    args.addAll(List.of(devices.split(" ", -1)));
    String out = hal(args.toArray(new String[0])).succeeded().out();
    StringBuilder expected = new StringBuilder("(?s)");
    int value = 1;
    for (String step : steps.split(", ", -1)) {
      String[] words = step.split(" ", -1);
      value++;
      String[] places = words[1].split(">", -1);
      expected.append("at ").append(value).append("  ").append(words[0]).append(" +on ");
      expected.append(mock(places[0])).append(", queue \\d");
      expected.append(places.length == 1 ? "" : " to " + mock(places[1])).append("\\R");
    }
    expected.append("all is handed over, the timeline is at 0\\R");
    expected.append("the timeline is at ").append(value).append(" after \\d+ us\\R");
    expected.append("1000 sums are correct\\R");
    assertTrue(out.matches(expected.toString()), () -> expected + " in\n" + out);
  }

  private static String mock(String index) {
    return "mock://" + index + " \\(Mock device " + index + "\\)";
  }

  @Test
  void thePipelineRefusesMissingDevices() {
    hal("pipeline", "mock", "nosuch").failed(3, "NOT_FOUND", "no driver 'nosuch'");
    hal("pipeline", "mock", "mock://7").failed(3, "NOT_FOUND", "7");
    hal("pipeline", "mock", "Mock").failed(2, "INVALID_ARGUMENT", "'Mock'");
    hal("pipeline", "--device", "mock").failed(2, "INVALID_ARGUMENT", "'--device'");
  }

  @Test
  void theFractalPrintsTheShareOfEachDevice(@TempDir Path folder) throws Exception {
    Path picture = folder.resolve("fractal.png");
    String out =
        hal(
                "fractal",
                "--device",
                "mock://0?devices=2",
                "--device",
                "mock://1?devices=2",
                "--size",
                "100",
                "--out",
                picture.toString())
            .succeeded()
            .out();
    Matcher shares = Pattern.compile("#(\\w{6}) +(\\d+) rows +\\d+ %  mock://[01]").matcher(out);
    BufferedImage image = ImageIO.read(picture.toFile());
    assertEquals(List.of(100, 75), List.of(image.getWidth(), image.getHeight()), out);
    int rows = 0;
    for (int i = 0; i < 2; i++) {
      assertTrue(shares.find(), out);
      int tint = Integer.parseInt(shares.group(1), 16);
      int drawn = 0;
      for (int y = 0; y < image.getHeight(); y++) {
        drawn += isDrawnIn(tint, image, y) ? 1 : 0;
      }
      assertEquals(Integer.parseInt(shares.group(2)), drawn, out);
      rows += drawn;
    }
    assertEquals(75, rows, out);
  }

  /** Whether some pixel of a row has the device's colour, and none another. */
  private static boolean isDrawnIn(int tint, BufferedImage image, int y) {
    boolean isDrawn = false;
    for (int x = 0; x < image.getWidth(); x++) {
      int pixel = image.getRGB(x, y) & 0xFFFFFF;
      if (pixel != 0) {
        boolean isTint = false;
        for (int light = 1; light < 256 && !isTint; light++) {
          int red = (tint >> 16 & 255) * light / 255;
          int green = (tint >> 8 & 255) * light / 255;
          int blue = (tint & 255) * light / 255;
          isTint = pixel == (red << 16 | green << 8 | blue);
        }
        if (!isTint) {
          return false;
        }
        isDrawn = true;
      }
    }
    return isDrawn;
  }

  @Test
  void theFractalRefusesInvalidArguments(@TempDir Path folder) throws IOException {
    for (String size : List.of("15", "16385", "-1")) {
      hal("fractal", "--size", size)
          .failed(2, "OUT_OF_RANGE", "--size " + size + " is not from 16 to 16384");
    }
    hal("fractal", "--size", "x").failed(2, "INVALID_ARGUMENT", "'--size'", "'x'");
    hal("fractal", "--device").failed(2, "INVALID_ARGUMENT", "'--device'");
    hal("fractal", "mock", "x").failed(2, "INVALID_ARGUMENT", "'mock'");
    hal("fractal", "--device", "mock", "--kernels", folder.toString()).failed(1, "NOT_FOUND");
    hal("fractal", "--out", "a\0b").failed(2, "INVALID_ARGUMENT");
    Path nowhere = folder.resolve("no/such/folder.png");
    assertNotWritten(
        1,
        "NOT_FOUND: cannot write " + nowhere + ": no such file or folder",
        hal("fractal", "--device", "mock", "--size", "16", "--out", nowhere.toString()));
    assertNotWritten(
        1,
        "DATA_LOSS: cannot write " + folder + ": ",
        hal("fractal", "--device", "mock", "--size", "16", "--out", folder.toString()));
    Path before = Files.writeString(folder.resolve("before.png"), "before");
    for (String out : List.of(before.toString(), folder.resolve("new.png").toString())) {
      hal("fractal", "--device", "mock://?memory=0", "--size", "16", "--out", out)
          .failed(1, "RESOURCE_EXHAUSTED");
    }
    assertEquals("before", Files.readString(before), "the old picture was replaced too early");
    assertFalse(Files.exists(folder.resolve("new.png")));
    hal("pipeline", "--kernels", "").failed(2, "'--kernels'", "'' names no file or folder");
  }

  private static void assertNotWritten(int exitCode, String message, Outcome outcome) {
    outcome.failed(exitCode, "hal: " + message);
    assertFalse(outcome.err().contains("Exception"), outcome::toString);
  }

  @Test
  void inputsReportsFilesThatCannotBeWritten(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "in the way");
    assertNotWritten(2, "INVALID_ARGUMENT: ", hal("inputs", "a\0b"));
    assertNotWritten(1, "", hal("inputs", file.toString()));
    Files.createDirectories(folder.resolve("saxpy/x.npy"));
    assertNotWritten(
        1,
        "DATA_LOSS: cannot write " + folder.resolve("saxpy/x.npy") + ": ",
        hal("inputs", folder.toString()));
    Path other = Files.createDirectories(folder.resolve("other/edges/input.png"));
    assertNotWritten(
        1, "DATA_LOSS: cannot write " + other, hal("inputs", folder.resolve("other").toString()));
    Files.writeString(folder.resolve("other/edges/input.png/kept"), "it is not replaced");
    Files.createDirectories(folder.resolve("third"));
    Files.writeString(folder.resolve("third/matmul"), "in the way");
    assertNotWritten(
        1,
        "FAILED_PRECONDITION: cannot write " + folder.resolve("third/matmul") + ": a file is",
        hal("inputs", folder.resolve("third").toString()));
  }

  @Test
  void inputsRefusesInvalidArguments(@TempDir Path folder) throws IOException {
    String made = folder.toString();
    hal("inputs").failed(2, "FOLDER is missing (see hal inputs --help)");
    hal("inputs", "").failed(2, "'' names no file or folder");
    hal("inputs", "--no-such-option").failed(2, "unknown option '--no-such-option'");
    hal("inputs", made, "x").failed(2, "'x' is no whole number");
    hal("inputs", made, "-1").failed(2, "-1 is not from 0 to 4294967295");
    hal("inputs", made, "4294967296").failed(2, "4294967296 is not from 0 to 4294967295");
    hal("inputs", made, "1", "2").failed(2, "unexpected argument '2'");
    try (Stream<Path> files = Files.list(folder)) {
      assertEquals(List.of(), files.toList());
    }
  }

  @Test
  void productAndTransformerRefuseInvalidArguments() {
    hal("product", "--size", "0").failed(2, "OUT_OF_RANGE", "--size 0 is not from 1 to 16384");
    hal("product", "--repeat", "1000001").failed(2, "--repeat 1000001 is not from 1 to 1000000");
    hal("product", "--device", "nosuch").failed(3, "NOT_FOUND");
    hal("transformer", "--tokens", "251").failed(2, "--tokens 251 is not from 1 to 250");
    hal("transformer", "--seed", "0").failed(2, "--seed 0 is not from 1 to 999999999");
    hal("transformer", "mock").failed(2, "unexpected argument 'mock'");
    hal("transformer", "--device", "mock", "--device", "Mock").failed(2, "'Mock'");
  }
}
