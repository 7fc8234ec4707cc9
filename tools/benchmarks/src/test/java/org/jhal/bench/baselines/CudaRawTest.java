// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.baselines;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jhal.bench.measure.NotAvailableException;
import org.jhal.bench.measure.Subject;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The baselines in C: their compiler, their program on a fake driver, and its answers. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CudaRawTest {
  @TempDir private static Path folderOfEveryCase;

  /** Compiled once for all cases. */
  private static @Nullable CudaRaw everyCase;

  @AfterAll
  static void endEveryCase() throws Exception {
    if (everyCase != null) {
      everyCase.close();
    }
  }

  @Test
  void anAnswerHasTheMedianFirst() throws IOException {
    assertArrayEquals(
        new double[] {10.5, 9.0, 12.0},
        RawProgram.parse("result copy 4096 7 9.0 10.5 12.0", "copy", 4096, 7));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "error cuInit: CUDA_ERROR_NO_DEVICE (100)",
        "result copy 4096 8 9.0 10.5 12.0",
        "result fill 4096 7 9.0 10.5 12.0",
        "result copy 4096 7 9.0 10.5",
        "result copy 4096 7 9.0 nan 12.0"
      })
  void quotesAnyOtherAnswer(String line) {
    IOException refused =
        assertThrows(IOException.class, () -> RawProgram.parse(line, "copy", 4096, 7));
    assertEquals(
        "the raw program was asked for 'copy 4096 7' and said: " + line, refused.getMessage());
  }

  @Test
  void reportsAMissingCompiler(@TempDir Path folder) throws IOException {
    Map<String, String> environment =
        Map.of("PATH", folder.toString(), "CUDA_HOME", folder.resolve("toolkit").toString());
    assertEquals(
        "it cannot be compiled: no nvcc on the PATH or in "
            + folder.resolve("toolkit/bin")
            + ", and no gcc on the PATH; CUDA_HOME says where the toolkit is",
        missing(environment));
    executable(folder.resolve("gcc"));
    assertEquals(
        "it cannot be compiled: no nvcc on the PATH or in "
            + folder.resolve("toolkit/bin")
            + ", and no cuda.h in "
            + folder.resolve("toolkit/include")
            + "; CUDA_HOME says where the toolkit is",
        missing(environment));
  }

  private static String missing(Map<String, String> environment) {
    return String.valueOf(
        assertThrows(NotAvailableException.class, () -> CudaCompiler.find(environment))
            .getMessage());
  }

  @Test
  void nvccIsPreferredToGccWithTheHeader(@TempDir Path folder) throws Exception {
    Path toolkit = folder.resolve("toolkit");
    Map<String, String> environment =
        Map.of("PATH", folder.toString(), "CUDA_HOME", toolkit.toString());
    Path gcc = executable(folder.resolve("gcc"));
    Files.createDirectories(toolkit.resolve("include"));
    Files.createFile(toolkit.resolve("include/cuda.h"));
    assertEquals(
        List.of(gcc.toString(), "-O2", "-I" + toolkit.resolve("include")),
        CudaCompiler.find(environment));
    Path inToolkit = executable(toolkit.resolve("bin/nvcc"));
    assertEquals(List.of(inToolkit.toString(), "-O2"), CudaCompiler.find(environment));
    Path onPath = executable(folder.resolve("nvcc"));
    assertEquals(List.of(onPath.toString(), "-O2"), CudaCompiler.find(environment));
  }

  private static Path executable(Path file) throws IOException {
    Files.createDirectories(file.getParent());
    Files.createFile(file);
    assertTrue(file.toFile().setExecutable(true), file::toString);
    return file;
  }

  @ParameterizedTest
  @CsvSource({
    "spinning, 0",
    "blocking, 0",
    "host-function, 0",
    "chain, 0",
    "node-chain, 0",
    "hop, 0",
    "node-hop, 0",
    "indirect, 0",
    "copy-chain, 4096",
    "polling, 0",
    "node-polling, 0",
    "alloca, 4096",
    "copy, 4096",
    "fill, 4096",
    "upload, 4096",
    "readback, 4096",
    "graph-1, 3",
    "graph-8, 3",
    "graph-tables-3, 4",
    "graph-instances-3, 4",
    "graph-wait, 3",
    "stream, 3",
    "stream-wait, 3",
    "plain-upload, 4096",
    "plain-readback, 4096",
    "ring-upload-1, 4096",
    "ring-readback-3, 4096",
    "streaming-upload-2, 4100",
    "streaming-readback-2, 4100",
    "slot-upload, 4100",
    "slot-readback, 4100",
    "peer-copy, 4096",
    "peer-both, 4096",
    "peer-hop, 0"
  })
  void theProgramKnowsEveryCase(String name, long size) throws Exception {
    CudaRaw raw = everyCase;
    if (raw == null) {
      raw = FakeCuda.build(folderOfEveryCase).raw("0000:03:00.0", "0000:04:00.0", Map.of());
      everyCase = raw;
    }
    for (int steps : new int[] {1, 2, 3000}) {
      double[] sample = raw.subject(name, size, steps, UnaryOperator.identity()).sample();
      assertEquals(3, sample.length);
      assertTrue(sample[0] > 0 && sample[1] <= sample[0] && sample[0] <= sample[2]);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "graph-1 | 10 nodes, 9 edges, 6 launches, 0 set",
        "graph-4 | 10 nodes, 6 edges, 6 launches, 0 set",
        "graph-16 | 10 nodes, 0 edges, 6 launches, 0 set",
        "graph-wait | 10 nodes, 9 edges, 6 launches, 0 set",
        "graph-tables-2 | 10 nodes, 9 edges, 6 launches, 50 set",
        "graph-instances-2 | 10 nodes, 9 edges, 4 launches, 0 set;"
            + " 10 nodes, 9 edges, 3 launches, 0 set",
        "node-chain | 1 nodes, 0 edges, 6 launches, 5 set",
        "node-hop | 1 nodes, 0 edges, 4 launches, 3 set; 1 nodes, 0 edges, 3 launches, 2 set",
        "node-polling | 1 nodes, 0 edges, 6 launches, 5 set"
      })
  void graphsHaveTheirShapeAndAreLaunched(String name, String expected, @TempDir Path folder)
      throws Exception {
    Path log = folder.resolve("graphs");
    try (CudaRaw raw =
        FakeCuda.build(folder).raw(null, Map.of("FAKE_CUDA_GRAPHS", log.toString()))) {
      double[] unused = raw.subject(name, 10, 5, UnaryOperator.identity()).sample();
    }
    assertEquals(List.of(expected.split("; ")), Files.readAllLines(log));
  }

  /** Far more chunks than slots, more threads than cores, and a smaller last chunk. */
  @ParameterizedTest
  @ValueSource(
      strings = {"ring-upload-", "ring-readback-", "streaming-upload-", "streaming-readback-"})
  void aRingMovesMoreThanItHolds(String name, @TempDir Path folder) throws Exception {
    try (CudaRaw raw = FakeCuda.build(folder).raw(null, Map.of())) {
      for (int threads : new int[] {1, 4, 7}) {
        for (long bytes : new long[] {(24 << 20) + 4, 300_000}) {
          double[] sample =
              raw.subject(name + threads, bytes, 10, UnaryOperator.identity()).sample();
          assertTrue(sample[0] > 0);
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"ring-upload-0, 4096", "slot-readback, 4194308", "slot-upload, 6"})
  void refusesARingWithoutThreadsAndMoreThanASlot(String name, int bytes, @TempDir Path folder)
      throws Exception {
    try (CudaRaw raw = FakeCuda.build(folder).raw(null, Map.of())) {
      Subject none = raw.subject(name, bytes, 1, UnaryOperator.identity());
      IOException refused = assertThrows(IOException.class, none::sample);
      assertTrue(
          String.valueOf(refused.getMessage())
              .endsWith(
                  "error "
                      + name
                      + " of "
                      + bytes
                      + " bytes: a multiple of 4, 1 to 64 threads, and up to 4194304 bytes in a"
                      + " slot, are possible"),
          refused::toString);
    }
  }

  @Test
  void reportsAMissingOrInaccessibleSecondDevice(@TempDir Path folder) throws Exception {
    FakeCuda fake = FakeCuda.build(folder);
    assertFails("error no second device was named", fake.raw("0000:03:00.0", Map.of()));
    assertFails(
        "error cuDeviceGetByPCIBusId: CUDA_ERROR_INVALID_VALUE (1)",
        fake.raw("0000:03:00.0", "0000:99:00.0", Map.of()));
    assertFails(
        "error the two devices cannot access each other's memory",
        fake.raw("0000:03:00.0", "0000:04:00.0", Map.of("FAKE_CUDA_APART", "1")));
  }

  private static void assertFails(String end, CudaRaw raw) throws Exception {
    try (raw) {
      Subject copy = raw.subject("peer-copy", 4096, 1, UnaryOperator.identity());
      IOException refused = assertThrows(IOException.class, copy::sample);
      assertTrue(String.valueOf(refused.getMessage()).endsWith(end), refused::toString);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"all-reduce", "all-reduce-chain"})
  void runsSumsThroughNccl(String name, @TempDir Path folder) throws Exception {
    FakeCuda fake = FakeCuda.build(folder).withNccl();
    try (CudaRaw raw = fake.raw("0000:03:00.0", "0000:04:00.0", Map.of())) {
      for (long bytes : new long[] {8, 1 << 20, 4}) {
        for (int steps : new int[] {1, 200}) {
          double[] sample = raw.subject(name, bytes, steps, UnaryOperator.identity()).sample();
          assertTrue(sample[0] > 0 && sample[1] <= sample[0] && sample[0] <= sample[2]);
        }
      }
      Subject tooMany = raw.subject(name, 8, 201, UnaryOperator.identity());
      IOException refused = assertThrows(IOException.class, tooMany::sample);
      assertTrue(
          String.valueOf(refused.getMessage())
              .endsWith(
                  "error 201 sums of 8 bytes: a multiple of 4, and at most 200 sums, are possible"),
          refused::toString);
    }
  }

  @Test
  void reportsAMissingNccl(@TempDir Path folder) throws Exception {
    try (CudaRaw raw = FakeCuda.build(folder).raw("0000:03:00.0", "0000:04:00.0", Map.of())) {
      Subject sums = raw.subject("all-reduce", 8, 1, UnaryOperator.identity());
      for (int i = 0; i < 2; i++) {
        NotAvailableException none = assertThrows(NotAvailableException.class, sums::sample);
        assertTrue(
            String.valueOf(none.getMessage()).matches("no NCCL: .*libnccl.so.2.*"), none::toString);
      }
      assertTrue(raw.subject("peer-copy", 8, 1, UnaryOperator.identity()).sample()[0] > 0);
    }
  }

  @Test
  void refusesAnEmptyGraph(@TempDir Path folder) throws Exception {
    try (CudaRaw raw = FakeCuda.build(folder).raw(null, Map.of())) {
      Subject nothing = raw.subject("graph-0", 10, 1, UnaryOperator.identity());
      IOException refused = assertThrows(IOException.class, nothing::sample);
      assertTrue(
          String.valueOf(refused.getMessage()).contains("error graph-0 of 10 kernels: "),
          refused::toString);
    }
  }

  @Test
  void quotesAFailedProgramAndStartsItAgain(@TempDir Path folder) throws Exception {
    try (CudaRaw raw = FakeCuda.build(folder).raw(null, Map.of())) {
      Subject unaligned = raw.subject("fill", 5, 1, UnaryOperator.identity());
      IOException refused = assertThrows(IOException.class, unaligned::sample);
      assertEquals(
          "the raw program was asked for 'fill 5 1' and said:"
              + " error 5 bytes: a multiple of 4 is needed",
          refused.getMessage());
      assertTrue(raw.subject("fill", 8, 1, UnaryOperator.identity()).sample()[0] >= 0);
    }
  }

  @Test
  void namesAFailedCall(@TempDir Path folder) throws Exception {
    FakeCuda fake = FakeCuda.build(folder);
    try (CudaRaw raw = fake.raw(null, Map.of("FAKE_CUDA_FAIL", "1"))) {
      Subject spinning = raw.subject("spinning", 0, 1, UnaryOperator.identity());
      IOException failed = assertThrows(IOException.class, spinning::sample);
      assertTrue(
          String.valueOf(failed.getMessage())
              .endsWith("error cuEventSynchronize: CUDA_ERROR_INVALID_VALUE (1)"),
          failed::toString);
    }
    try (CudaRaw raw = fake.raw("0000:99:00.0", Map.of())) {
      Subject spinning = raw.subject("spinning", 0, 1, UnaryOperator.identity());
      IOException failed = assertThrows(IOException.class, spinning::sample);
      assertEquals(
          "the raw program does not start:"
              + " error cuDeviceGetByPCIBusId: CUDA_ERROR_INVALID_VALUE (1)",
          failed.getMessage());
    }
  }

  @Test
  void reportsAProgramThatDoesNotCompile(@TempDir Path folder) throws Exception {
    FakeCuda.assumeGcc();
    Files.createFile(folder.resolve("cuda.h")); // without anything in it
    try (CudaRaw raw = new CudaRaw(() -> List.of("gcc", "-I" + folder), Map.of(), null)) {
      Subject spinning = raw.subject("spinning", 0, 1, UnaryOperator.identity());
      IOException failed = assertThrows(IOException.class, spinning::sample);
      assertTrue(String.valueOf(failed.getMessage()).contains("cuInit"), failed::toString);
    }
  }
}
