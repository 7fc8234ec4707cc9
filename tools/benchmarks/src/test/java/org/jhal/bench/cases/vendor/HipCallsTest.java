// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.vendor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jna.NativeLibrary;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jhal.Device;
import org.jhal.DeviceInfo;
import org.jhal.Hal;
import org.jhal.bench.baselines.FakeCuda;
import org.jhal.bench.baselines.HipLoops;
import org.jhal.bench.baselines.NativeBuild;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.BenchCase;
import org.jhal.bench.measure.Rounds;
import org.jhal.bench.measure.Row;
import org.jhal.bench.measure.Shared;
import org.jhal.bench.measure.Spread;
import org.jhal.gpu.natives.SharedLibrary;
import org.jhal.hip.jna.HipApi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The case for the HIP bindings, on a fake runtime. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class HipCallsTest {
  private static final int CALLS = 1200; // two batches and a part
  private static final int ROUNDS = 2;

  @TempDir private static Path folder;
  private static NativeLibrary fake;

  /**
   * Compiles the fake runtime, with an empty function for each one of the bindings that it lacks.
   */
  @BeforeAll
  static void build() throws Exception {
    FakeCuda.assumeGcc();
    Path source =
        Path.of(
            Objects.requireNonNull(HipCallsTest.class.getResource("/fake-hip/libamdhip64.c"))
                .toURI());
    String text = Files.readString(source);
    StringBuilder all = new StringBuilder(text);
    for (String symbol : HipApi.API.symbols()) {
      if (!text.contains(symbol + "(")) {
        all.append("int ").append(symbol).append("(void) { return 0; }\n");
      }
    }
    try (NativeBuild compiler = NativeBuild.of("hip")) {
      Path whole = folder.resolve("fake.c");
      Files.writeString(whole, all, StandardCharsets.UTF_8);
      compiler.run(
          List.of(
              "gcc",
              "-std=c11",
              "-Wall",
              "-Wextra",
              "-Werror",
              "-shared",
              "-fPIC",
              "-o",
              folder.resolve("libfake.so").toString(),
              whole.toString()));
    }
    fake = NativeLibrary.getInstance(folder.resolve("libfake.so").toString());
    HipApi.API.bind(SharedLibrary.open(folder.resolve("libfake.so").toString()));
    HipApi.API.calls(null);
  }

  @AfterAll
  static void unload() {
    if (fake != null) {
      fake.close();
    }
  }

  @BeforeEach
  void succeed() {
    fail(0);
  }

  private static void fail(int result) {
    fake.getFunction("fake_hip_fail").invokeVoid(new Object[] {result});
  }

  private static long launches() {
    return fake.getFunction("fake_hip_launches").invokeLong(new Object[0]);
  }

  /** The rows of the case, whose handles are on the fake device and whose kernel the mock has. */
  private static List<Row> measure(Map<String, String> environment) throws Exception {
    List<Row> rows = new ArrayList<>();
    try (Device device = Hal.openDevice("mock");
        Shared shared = new Shared()) {
      DeviceInfo mock = device.info();
      DeviceInfo info =
          DeviceInfo.builder(HipCalls.DRIVER, 3)
              .name(mock.name())
              .uuid(mock.uuid())
              .memoryBytes(mock.memoryBytes())
              .maxWorkgroupCount(mock.maxWorkgroupCount())
              .maxWorkgroupItems(mock.maxWorkgroupItems())
              .properties(
                  Map.of(
                      "library", folder.resolve("libfake.so").toString(), "architecture", "fake"))
              .build();
      HipCalls unused =
          shared.get(
              "hip-calls",
              HipCalls.class,
              () -> new HipCalls(device, info, new HipLoops(environment)));
      BenchCase benchCase = HipCalls.all().get(0);
      assertFalse(benchCase.fits(device));
      Bench bench = new Bench("mock", device, CALLS, shared);
      rows.addAll(Rounds.measure(benchCase, bench, Duration.ZERO, ROUNDS));
    }
    return rows;
  }

  @Test
  void bothSidesMakeTheCalls() throws Exception {
    long before = launches();
    List<Row> rows = measure(System.getenv());
    assertEquals(8, rows.size());
    for (Row row : rows) {
      assertNull(row.absence(), row::toString);
      Row.Baseline baseline = row.baselines().get(0);
      assertNull(baseline.absence(), row::toString);
      if (row.metric().equals("time")) {
        assertTrue(Spread.of(row.jhal()).min() > 0, row::toString);
        assertTrue(Spread.of(baseline.samples()).min() > 0, row::toString);
      } else {
        assertTrue(Spread.of(row.jhal()).min() >= 0, row::toString);
      }
    }
    // Two sides, and each is warmed up with a sample at least.
    assertTrue(launches() - before >= 2L * (ROUNDS + 1) * CALLS);
    assertEquals(0, (launches() - before) % CALLS);
  }

  @Test
  void restoresTheDeviceOfTheThread() throws Exception {
    int[] current = new int[1];
    assertEquals(0, HipApi.API.setDevice(7));
    List<Row> unused = measure(System.getenv());
    assertEquals(0, HipApi.API.getDevice(current));
    assertEquals(7, current[0]);
  }

  @Test
  void aFailedCallIsNamedByBothSides() throws Exception {
    fail(600);
    for (Row row : measure(System.getenv())) {
      boolean isQuery = row.label().equals("hipEventQuery");
      assertEquals(isQuery, row.hasFailure(), row::toString);
      if (isQuery) {
        String expected = "java.lang.IllegalStateException: hipEventQuery: hipErrorFake (600)";
        assertEquals(expected, Objects.requireNonNull(row.absence()).why());
        assertEquals(expected, Objects.requireNonNull(row.baselines().get(0).absence()).why());
      }
    }
  }

  @Test
  void reportsAMissingCompiler(@TempDir Path empty) throws Exception {
    for (Row row : measure(Map.of("PATH", empty.toString()))) {
      assertNull(row.absence(), row::toString);
      assertFalse(row.hasFailure(), row::toString);
      assertEquals(
          "it cannot be compiled: no gcc, cc or clang on the PATH",
          Objects.requireNonNull(row.baselines().get(0).absence()).why());
    }
  }
}
