// SPDX-License-Identifier: Apache-2.0
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.jhal.*;

/** A system of equations, solved in one dispatch whose workgroups wait for each other: Solver DEVICE. */
public class Solver {
  static final int N = 20_000;
  static final int MOST_GROUPS = 16; // fewer than a GPU holds; on cpu, more take longer
  static final int MOST_STEPS = 500;
  static final double TOLERANCE = 1e-9;

  public static void main(String[] args) throws Exception {
    double[] wanted = new Random(1).doubles(N, -1, 1).toArray();
    double[] right = new double[N];
    for (int i = 0; i < N; i++) { // the matrix has 2.1 on its diagonal, and -1 beside it
      right[i] = 2.1 * wanted[i] - (i > 0 ? wanted[i - 1] : 0) - (i < N - 1 ? wanted[i + 1] : 0);
    }
    double[] found = new double[N];
    int[] steps = new int[1];
    try (Device device = Hal.openDevice(args[0]);
        Executable kernels = device.loadExecutable(ExecutableSource.of(Path.of("examples/solver")));
        Sequence sequence = device.createSequence()) {
      Kernel solve = kernels.kernel("solve");
      long resident = solve.residentWorkgroups().orElseThrow(); // the largest grid
      Workgroups grid = Workgroups.of((int) Math.min(MOST_GROUPS, resident));
      QueueSteps queue = sequence.on(device.queue(0));
      DeviceBuffer b = queue.uploading(HostMemory.of(right));
      DeviceBuffer x = queue.allocate(ElementType.F64, N);
      DeviceBuffer r = queue.allocate(ElementType.F64, N);
      DeviceBuffer p = queue.allocate(ElementType.F64, N);
      DeviceBuffer q = queue.allocate(ElementType.F64, N);
      DeviceBuffer sums = queue.allocate(ElementType.F64, MOST_GROUPS);
      DeviceBuffer taken = queue.allocate(ElementType.I32, 1);
      queue.dispatch(solve, grid, Args.of(N, MOST_STEPS, TOLERANCE, b, x, r, p, q, sums, taken));
      queue.readback(x, HostMemory.of(found));
      queue.readback(taken, HostMemory.of(steps));
      sequence.await(Duration.ofSeconds(30));
    }
    double most = 0;
    for (int i = 0; i < N; i++) {
      most = Math.max(most, Math.abs(found[i] - wanted[i]));
    }
    boolean isRight = most < 1e-6 && steps[0] < MOST_STEPS;
    System.out.println(isRight ? N + " numbers are right" : "off by " + most);
  }
}
