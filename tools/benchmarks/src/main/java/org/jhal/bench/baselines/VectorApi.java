// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.baselines;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.module.ModuleFinder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jhal.bench.kernel.JavaLoops;
import org.jhal.bench.kernel.Workload;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.NotAvailableException;
import org.jhal.bench.measure.Subject;
import org.jspecify.annotations.Nullable;

/**
 * The kernels of {@code compute/VectorKernels.java}, which uses the incubating Vector API, in a JVM
 * of their own that compiles them from source. So neither the build nor this process depends on the
 * incubating module.
 *
 * <p>For one thread.
 */
public final class VectorApi implements AutoCloseable {
  /** The name of the baseline. */
  public static final String NAME = "Java, Vector API";

  private static final String MODULE = "jdk.incubator.vector";
  private static final Pattern ANSWER = Pattern.compile("([0-9]+) (-?[0-9.E]+)");
  private static final String SOURCE = "VectorKernels.java";
  private static final Set<Workload> WRITTEN =
      Set.of(Workload.SAXPY, Workload.MATMUL, Workload.REDUCTION, Workload.JULIA);

  private @Nullable NativeBuild folder;
  private @Nullable Process process;

  /** Whether there is a kernel for it. */
  public static boolean has(Workload workload) {
    return WRITTEN.contains(workload);
  }

  /** Runs of {@code workload}; a sample is the nanoseconds of one of {@code count} in a row. */
  public Subject subject(Workload workload, int count) {
    return new Subject() {
      @Override
      public String name() {
        return NAME;
      }

      @Override
      public void prepare() throws Exception {
        double sum = run(workload, 1)[1];
        if (sum != sum(workload)) {
          throw new IllegalStateException(workload.label() + ": the result is wrong");
        }
      }

      @Override
      public double[] sample() throws Exception {
        return new double[] {run(workload, count)[0] / count};
      }
    };
  }

  /** The sum of all elements of the right result. */
  private static double sum(Workload workload) {
    ByteBuffer right = JavaLoops.result(workload).order(ByteOrder.nativeOrder());
    double sum = 0;
    for (int i = 0; i < right.capacity(); i += 4) {
      sum += workload == Workload.JULIA ? right.getInt(i) : right.getFloat(i);
    }
    return sum;
  }

  /** How long so many runs took, and the sum of what the first one wrote. */
  private double[] run(Workload workload, int count) throws Exception {
    Process running = start();
    String request = workload.kernel() + " " + count + "\n";
    running.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
    running.getOutputStream().flush();
    CompletableFuture<double[]> answer = CompletableFuture.supplyAsync(() -> answer(running));
    try {
      return answer.get(Bench.DEADLINE.toSeconds(), TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      close(); // which also ends the thread that reads
      throw new TimeoutException(
          "the JVM of the Vector API has not run " + request.strip() + " in " + Bench.DEADLINE);
    }
  }

  /** The next line with an answer. The JVM's warnings may come before it. */
  private static double[] answer(Process running) {
    try {
      BufferedReader in = running.inputReader(StandardCharsets.UTF_8);
      List<String> others = new ArrayList<>();
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        Matcher answer = ANSWER.matcher(line);
        if (answer.matches()) {
          return new double[] {
            Double.parseDouble(answer.group(1)), Double.parseDouble(answer.group(2))
          };
        }
        others.add(line);
      }
      throw new IOException("the JVM of the Vector API has ended: " + String.join("\n", others));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Process start() throws IOException, NotAvailableException {
    if (process == null) {
      for (String module : List.of(MODULE, "jdk.compiler")) {
        if (ModuleFinder.ofSystem().find(module).isEmpty()) {
          throw new NotAvailableException("this JVM has no module " + module);
        }
      }
      folder = NativeBuild.of("compute", SOURCE);
      String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
      process =
          new ProcessBuilder(java, "--add-modules", MODULE, folder.file(SOURCE).toString())
              .redirectErrorStream(true)
              .start();
    }
    return process;
  }

  /** Ends the JVM. */
  @Override
  public void close() throws IOException {
    if (process != null) {
      process.destroyForcibly();
      process = null;
    }
    if (folder != null) {
      folder.close();
      folder = null;
    }
  }
}
