// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.baselines;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.Platform;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.jhal.bench.measure.Subject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The baselines on JCuda, with its real native library on a fake driver, which checks the arguments
 * of launches. They run in a separate JVM, since a missing function would end it.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CudaJcudaTest {
  private static final int STEPS = 100;

  @Test
  void everyBaselineRunsItsWork(@TempDir Path folder) throws Exception {
    assumeTrue(
        Platform.isLinux() && Platform.ARCH.equals("x86-64"),
        "the fake driver is for JCuda's natives for Linux on x86-64; this is " + Platform.ARCH);
    FakeCuda.build(folder);
    Path log = folder.resolve("log");
    ProcessBuilder builder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", // or newer JDKs print warnings
                "-Djava.io.tmpdir=" + folder, // where JCuda puts its native half
                "-cp",
                System.getProperty("java.class.path"),
                CudaJcudaTest.class.getName())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().put("LD_LIBRARY_PATH", folder.toString());
    Process process = builder.start();
    try {
      assertTrue(
          process.waitFor(60, TimeUnit.SECONDS), "the JVM with JCuda is not done after 60 s");
    } finally {
      process.destroyForcibly();
    }
    assertEquals(0, process.exitValue(), Files.readString(log));
    assertEquals(
        Set.of(
            "spinning JCuda, as documented",
            "spinning JCuda, packed",
            "blocking JCuda, as documented",
            "blocking JCuda, packed",
            "host function JCuda",
            "allocations JCuda"),
        new TreeSet<>(Files.readAllLines(log)));
  }

  /** The program in the separate JVM: prints the baselines that have worked. */
  @SuppressWarnings("SystemOut") // the pipe to the test
  public static void main(String[] args) throws Exception {
    try (CudaJcuda cuda = new CudaJcuda(null)) {
      Map<String, List<Subject>> all =
          Map.of(
              "spinning",
              List.of(
                  CudaJcudaBaselines.roundTrip(cuda, false, false, STEPS),
                  CudaJcudaBaselines.roundTrip(cuda, true, false, STEPS)),
              "blocking",
              List.of(
                  CudaJcudaBaselines.roundTrip(cuda, false, true, STEPS),
                  CudaJcudaBaselines.roundTrip(cuda, true, true, STEPS)),
              "host function",
              List.of(CudaJcudaBaselines.hostFunction(cuda, STEPS)),
              "allocations",
              List.of(CudaJcudaBaselines.allocations(cuda, 4096, STEPS)));
      for (Map.Entry<String, List<Subject>> entry : all.entrySet()) {
        for (Subject subject : entry.getValue()) {
          for (double number : subject.sample()) {
            if (!(number > 0)) {
              throw new AssertionError(entry.getKey() + ": " + number);
            }
          }
          System.out.println(entry.getKey() + " " + subject.name());
        }
      }
    }
  }
}
