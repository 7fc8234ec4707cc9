// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.faults;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A program in which the JVM, kernels and the GPU simulator meet faults at the same time.
 *
 * <p>Arguments: the seconds it takes, {@code before} or {@code after} for when the simulator's
 * library is loaded, the file of that library.
 */
final class FaultSoak {
  private static final List<String> FAILING =
      List.of("traps", "strays", "recurses", "executes_illegal", "recurses_met", "strays_met");

  private volatile long end; // set when kernels have been compiled
  private final Map<String, Long> counts = new TreeMap<>();

  private FaultSoak() {}

  public static void main(String[] arguments) throws Exception {
    new FaultSoak().run(Long.parseLong(arguments[0]), arguments[1], arguments[2]);
  }

  private void run(long seconds, String order, String file) throws Exception {
    List<String> kernels = new ArrayList<>(FAILING);
    kernels.addAll(List.of("fine", "fine_met"));
    Function simulator = order.equals("before") ? simulator(file) : null;
    try (FaultRun run = new FaultRun("threads=4", "faults.cpp", kernels)) {
      require(run.run("fine", 4).failure() == null, "the first kernel failed");
      if (simulator == null) {
        simulator = simulator(file);
      }
      Function loaded = simulator;
      end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
      List<Callable<Void>> bodies =
          List.of(
              this::meetJavaFaults,
              this::meetJavaFaults,
              this::collectGarbage,
              () -> runKernels(run, 0),
              () -> runKernels(run, 1),
              () -> runSimulator(loaded));
      ExecutorService threads = Executors.newFixedThreadPool(bodies.size());
      List<Future<Void>> all = new ArrayList<>();
      for (Callable<Void> body : bodies) {
        all.add(threads.submit(body));
      }
      for (Future<Void> one : all) {
        one.get(5, TimeUnit.MINUTES);
      }
      threads.shutdown();
    }
    counts.forEach((what, count) -> System.out.println(what + " " + count));
  }

  private boolean isOver() {
    return System.nanoTime() > end;
  }

  private synchronized void add(String what, long count) {
    counts.merge(what, count, Long::sum);
  }

  private @Nullable Void meetJavaFaults() throws Exception {
    JavaFaults faults = new JavaFaults();
    Path folder = Path.of("").toAbsolutePath();
    do {
      faults.once(folder);
    } while (!isOver());
    faults.counts().forEach(this::add);
    require(faults.rest() != 1, "unlikely");
    return null;
  }

  /** Each collection stops all threads at their polls. */
  private @Nullable Void collectGarbage() {
    do {
      System.gc();
      add("collection", 1);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20)); // leaves time for the others
    } while (!isOver());
    return null;
  }

  private @Nullable Void runKernels(FaultRun run, int queue) throws Exception {
    int i = 0;
    do {
      String kernel = FAILING.get(i++ % FAILING.size());
      require(run.run(kernel, 64, queue).failure() != null, kernel + " did not fail");
      FaultRun.Outcome outcome = run.run("fine_met", 64, queue);
      require(outcome.failure() == null, "a kernel failed: " + outcome.failure());
      for (int value : outcome.output()) {
        require(value == 1, "a kernel wrote " + value);
      }
      add("kernel", 1);
    } while (!isOver());
    return null;
  }

  private static Function simulator(String file) {
    Function faults = NativeLibrary.getInstance(file).getFunction("simulator_faults");
    require(faults.invokeInt(new Object[] {1}) == 0, "a fault of the simulator was lost");
    return faults;
  }

  private @Nullable Void runSimulator(Function faults) {
    do {
      int lost = faults.invokeInt(new Object[] {100});
      require(lost == 0, lost + " faults of the simulator were lost");
      add("simulator", 100);
    } while (!isOver());
    return null;
  }

  private static void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new IllegalStateException(otherwise);
    }
  }
}
