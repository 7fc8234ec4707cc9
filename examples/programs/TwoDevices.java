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
        DeviceBuffer x = one.allocate(2 * BYTES, BufferParams.DEVICE);
        DeviceBuffer y = one.allocate(2 * BYTES, BufferParams.DEVICE);
        DeviceBuffer x2 = two.allocate(BYTES, BufferParams.DEVICE);
        DeviceBuffer y2 = two.allocate(BYTES, BufferParams.DEVICE);
        Sequence first = one.createSequence();
        Sequence second = two.createSequence()) {
      DeviceQueue queue = one.queue(0);
      DeviceQueue queue2 = two.queue(0);
      FillPattern ones = FillPattern.of32(Float.floatToIntBits(1));
      Args args1 = Args.of(HALF, 2.0, x.slice(0, BYTES), y.slice(0, BYTES));
      Args args2 = Args.of(HALF, 2.0, x2, y2);
      Workgroups groups = onOne.kernel("saxpy").covering(HALF);

      Timepoint isThere = first.step((w, s) -> queue.upload(w, s, HostMemory.of(values), x, 0));
      first.step((w, s) -> queue.fill(w, s, y, 0, BYTES, ones));
      first.step((w, s) -> queue.dispatch(w, s, onOne.kernel("saxpy"), groups, args1));

      second.step(isThere, (w, s) -> queue2.copy(w, s, x, BYTES, x2, 0, BYTES));
      second.step((w, s) -> queue2.fill(w, s, y2, 0, BYTES, ones));
      second.step((w, s) -> queue2.dispatch(w, s, onTwo.kernel("saxpy"), groups, args2));
      Timepoint isBack = second.step((w, s) -> queue2.copy(w, s, y2, 0, y, BYTES, BYTES));

      first.step(isBack, (w, s) -> queue.readback(w, s, y, 0, HostMemory.of(values)));
      first.await(Duration.ofSeconds(30));
      System.out.println(values[0] + " " + values[HALF] + " " + values[2 * HALF - 1]);
    }
  }
}
