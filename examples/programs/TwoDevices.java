// SPDX-License-Identifier: Apache-2.0
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.jhal.*;

/** Two devices compute one half of an array each: TwoDevices URI URI. */
public class TwoDevices {
  static final int HALF = 1 << 20; // elements
  static final long BYTES = 4L * HALF;

  public static void main(String[] args) throws Exception {
    if (args.length != 2) {
      System.err.println("usage: TwoDevices URI URI");
      System.exit(2);
    }
    float[] values = new float[2 * HALF];
    Arrays.fill(values, 3);
    ExecutableSource bundle = ExecutableSource.of(Path.of("examples/saxpy"));
    try (Device one = Hal.openDevice(args[0]);
        Device two = Hal.openDevice(args[1]);
        Executable onOne = one.loadExecutable(bundle);
        Executable onTwo = two.loadExecutable(bundle);
        Sequence sequence1 = one.createSequence();
        Sequence sequence2 = two.createSequence()) {
      QueueSteps first = sequence1.on(one.queue(0));
      QueueSteps second = sequence2.on(two.queue(0));
      DeviceBuffer x = first.uploading(HostMemory.of(values));
      Timepoint isThere = sequence1.last();
      DeviceBuffer y = first.allocate(ElementType.F32, 2 * HALF);
      DeviceBuffer x2 = second.allocate(ElementType.F32, HALF);
      DeviceBuffer y2 = second.allocate(ElementType.F32, HALF);
      Workgroups groups = onOne.kernel("saxpy").covering(HALF);

      first.fill(y.slice(0, BYTES), FillPattern.of(1f));
      Args args1 = Args.of(HALF, 2.0, x.slice(0, BYTES), y.slice(0, BYTES));
      first.dispatch(onOne.kernel("saxpy"), groups, args1);

      second.waitFor(isThere);
      second.copy(x.slice(BYTES, BYTES), x2);
      second.fill(y2, FillPattern.of(1f));
      second.dispatch(onTwo.kernel("saxpy"), groups, Args.of(HALF, 2.0, x2, y2));
      Timepoint isBack = second.copy(y2, y.slice(BYTES, BYTES));

      first.waitFor(isBack);
      first.readback(y, HostMemory.of(values));
      sequence1.await(Duration.ofSeconds(30));
      System.out.println(values[0] + " " + values[HALF] + " " + values[2 * HALF - 1]);
    }
  }
}
