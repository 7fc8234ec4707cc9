// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.compute;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jhal.Device;
import org.jhal.Hal;
import org.jhal.bench.baselines.HostKernels;
import org.jhal.bench.baselines.Pocl;
import org.jhal.bench.kernel.JavaLoops;
import org.jhal.bench.kernel.Workload;
import org.jhal.bench.measure.Absence;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.BenchCase;
import org.jhal.bench.measure.NotAvailableException;
import org.jhal.bench.measure.Rounds;
import org.jhal.bench.measure.Row;
import org.jhal.bench.measure.Series;
import org.jhal.bench.measure.Shared;
import org.jhal.bench.measure.Spread;
import org.jhal.bench.measure.Subject;
import org.jhal.cpu.compile.HostCompiler;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every side of each workload runs once; it checks its own result. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ComputeCasesTest {
  private static final String URI = "cpu";

  private static void assumeCompiler() {
    assumeTrue(
        HostCompiler.find().isPresent(),
        "the cpu device compiles kernels, and no c++, g++ or clang++ is on the PATH");
  }

  private static List<Row> measure(String name) throws Exception {
    BenchCase benchCase =
        ComputeCases.all().stream()
            .filter(one -> one.name().equals(name))
            .findFirst()
            .orElseThrow();
    try (Device device = Hal.openDevice(URI);
        Shared shared = new Shared()) {
      assertTrue(benchCase.fits(device));
      return Rounds.measure(benchCase, new Bench(URI, device, 1, shared), Duration.ZERO, 1);
    }
  }

  private static void assertMeasured(Row row) {
    assertNull(row.absence(), row::toString);
    assertTrue(Spread.of(row.jhal()).min() > 0, row::toString);
    for (Row.Baseline side : row.baselines()) {
      Absence absence = side.absence();
      if (absence != null && side.name().equals(Pocl.NAME)) {
        assertFalse(absence.isFailure(), absence::why); // it is not installed
        continue;
      }
      assertNull(side.absence(), () -> row.label() + ": " + side.name() + ": " + side.absence());
      assertTrue(Spread.of(side.samples()).min() > 0, row::toString);
    }
  }

  @Test
  @Tag("long")
  void everySideOfEachKernelIsMeasured() throws Exception {
    assumeCompiler();
    List<Row> rows = measure("kernels");
    assertEquals(
        List.of("saxpy 16k", "matmul 512", "reduction 1M", "julia 512", "edges 1024x768"),
        rows.stream().map(Row::label).toList());
    for (Row row : rows) {
      assertMeasured(row);
      List<String> peers = row.baselines().stream().map(Row.Baseline::name).toList();
      assertTrue(peers.containsAll(List.of("C", "Java", "pocl", "mock")), peers::toString);
      assertEquals("C", row.aims().get(0).baseline());
    }
  }

  @Test
  void severalThreadsAreMeasuredBesideOne() throws Exception {
    assumeCompiler();
    for (Row row : measure("kernel-threads")) {
      assertMeasured(row);
    }
  }

  @Test
  void threadsDoubleUpToTheNumberOfProcessors() throws Exception {
    try (Device mock = Hal.openDevice("mock");
        Shared shared = new Shared()) {
      List<Series> all = ComputeCases.threads(new Bench("mock", mock, 1, shared), 6);
      assertEquals(
          List.of(
              "matmul 512, 2",
              "matmul 512, 4",
              "matmul 512, 6",
              "julia 512, 2",
              "julia 512, 4",
              "julia 512, 6"),
          all.stream().map(Series::label).toList());
      assertEquals(List.of(), ComputeCases.threads(new Bench("mock", mock, 1, shared), 1));
    }
  }

  @Test
  void cNamesTheCompilersThatAreMissing() throws Exception {
    try (HostKernels kernels = new HostKernels(Map.of("PATH", ""), "");
        Subject subject = kernels.subject(Workload.SAXPY, 1)) {
      NotAvailableException missing = assertThrows(NotAvailableException.class, subject::prepare);
      assertEquals(
          "it cannot be compiled: no c++, g++ or clang++ on the PATH", missing.getMessage());
    }
  }

  @ParameterizedTest
  @EnumSource
  void aWrongElementIsNoticed(Workload workload) {
    ByteBuffer right = JavaLoops.result(workload);
    workload.check(right, JavaLoops.result(workload));
    ByteBuffer wrong = JavaLoops.result(workload);
    wrong.put(2, (byte) (wrong.get(2) ^ 64)); // also changes a float
    IllegalStateException thrown =
        assertThrows(IllegalStateException.class, () -> workload.check(right, wrong));
    assertEquals(workload.label() + ": the result is wrong", thrown.getMessage());
  }
}
