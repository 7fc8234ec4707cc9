// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.compute;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jhal.Device;
import org.jhal.Hal;
import org.jhal.bench.baselines.PlainC;
import org.jhal.bench.kernel.PlainKernel;
import org.jhal.bench.kernel.PlainKernels;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.NotAvailableException;
import org.jhal.bench.measure.Rounds;
import org.jhal.bench.measure.Row;
import org.jhal.bench.measure.Series;
import org.jhal.bench.measure.Shared;
import org.jhal.bench.measure.Spread;
import org.jhal.bench.measure.Subject;
import org.jhal.cpu.compile.HostCompiler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 240, unit = TimeUnit.SECONDS)
class PlainCasesTest {
  private static final Pattern DECLARED = Pattern.compile("extern \"C\" __global__ void (\\w+)");
  private static final Pattern DEFINED = Pattern.compile("(?m)^void (\\w+)");

  static Stream<PlainKernel> kernels() {
    return PlainKernels.all().stream();
  }

  private static void assumeCompiler() {
    assumeTrue(
        HostCompiler.find().isPresent(),
        "the cpu device compiles kernels, and no c++, g++ or clang++ is on the PATH");
  }

  @Test
  void everyKernelIsMeasuredBesideC() throws Exception {
    assumeCompiler();
    try (Device device = Hal.openDevice("cpu");
        Shared shared = new Shared()) {
      assertTrue(PlainCases.kernels().fits(device));
      Bench bench = new Bench("cpu", device, 1, shared);
      List<Row> rows = Rounds.measure(PlainCases.kernels(), bench, Duration.ZERO, 1);
      assertEquals(PlainKernels.all().size(), rows.size());
      for (Row row : rows) {
        assertNull(row.absence(), row::toString);
        assertTrue(Spread.of(row.jhal()).min() > 0, row::toString);
        Row.Baseline peer = row.baselines().get(0);
        assertNull(peer.absence(), row::toString);
        assertTrue(Spread.of(peer.samples()).min() > 0, row::toString);
        assertEquals(PlainC.NAME, row.aims().get(0).baseline());
      }
    }
  }

  @Test
  void someKernelsAreMeasuredWhileTheyAreChecked() throws Exception {
    assumeCompiler();
    try (Device device = Hal.openDevice("cpu");
        Shared shared = new Shared()) {
      Bench bench = new Bench("cpu", device, 1, shared);
      List<Row> rows = Rounds.measure(PlainCases.checked(), bench, Duration.ZERO, 1);
      assertEquals(12, rows.size());
      for (Row row : rows) {
        assertNull(row.absence(), row::toString);
        assertNull(row.baselines().get(0).absence(), row::toString);
        assertEquals(PlainC.SCALAR, row.aims().get(0).baseline());
      }
    }
  }

  /** Each kernel runs once, and its result is compared with that of C. */
  @ParameterizedTest
  @ValueSource(strings = {"barriers=fission", "barriers=coroutine", "barriers=fiber", "check=all"})
  void everyFormComputesWhatCDoes(String option) throws Exception {
    assumeCompiler();
    String uri = "cpu://?" + option;
    try (Device device = Hal.openDevice(uri);
        Shared shared = new Shared()) {
      List<String> wrong = new ArrayList<>();
      for (Series series : PlainCases.kernels().maker().make(new Bench(uri, device, 1, shared))) {
        try (series) {
          series.jhal().prepare();
        } catch (Exception e) {
          wrong.add(series.label() + ": " + e);
        }
      }
      assertEquals(List.of(), wrong);
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyKernelOfTheFilesIsMeasured(PlainKernel.Style style) throws Exception {
    List<String> measured =
        kernels().filter(kernel -> kernel.style() == style).map(PlainKernel::kernel).toList();
    assertTrue(measured.size() >= 3, measured::toString);
    assertEquals(measured, names(PlainKernel.class, style.file() + ".cu", DECLARED));
    assertEquals(measured, names(PlainC.class, style.file() + ".c", DEFINED));
  }

  private static List<String> names(Class<?> from, String file, Pattern pattern) throws Exception {
    try (InputStream in = from.getResourceAsStream("plain/" + file)) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return pattern.matcher(text).results().map((MatchResult found) -> found.group(1)).toList();
    }
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void wrongElementsAreNoticed(PlainKernel kernel) {
    int size = ((ByteBuffer) kernel.arguments().get(kernel.result())).capacity();
    ByteBuffer right = ByteBuffer.allocate(size).order(ByteOrder.nativeOrder());
    for (int i = 0; i < size; i++) {
      right.put(i, (byte) (i % 63)); // finite if they are floats
    }
    kernel.check(right, right);
    ByteBuffer wrong = ByteBuffer.allocate(size).order(ByteOrder.nativeOrder()).put(right).clear();
    int count = kernel.differing() > 0 ? size / 8 : 1; // an eighth of the elements, or the first
    for (int i = 0; i < 4 * count; i++) {
      wrong.put(i, (byte) (right.get(i) ^ 64));
    }
    IllegalStateException thrown =
        assertThrows(IllegalStateException.class, () -> kernel.check(right, wrong));
    String message = String.valueOf(thrown.getMessage());
    assertTrue(message.endsWith("are wrong, the first is element 0"), message);
  }

  @Test
  void cNamesTheCompilersThatAreMissing() throws Exception {
    PlainKernel kernel = PlainKernels.all().get(0);
    try (PlainC plain = new PlainC(Map.of("PATH", ""), "");
        Subject subject = plain.subject(kernel, 1)) {
      NotAvailableException missing = assertThrows(NotAvailableException.class, subject::prepare);
      assertEquals(
          "it cannot be compiled: no c++, g++ or clang++ on the PATH", missing.getMessage());
    }
  }
}
