// SPDX-License-Identifier: Apache-2.0
import java.time.Duration;
import java.util.List;
import org.jhal.*;
import org.jhal.CollectiveGroup.Rank;

/** Two devices add up their arrays, and both have the sums: AllReduce URI URI. */
public class AllReduce {
  static final int COUNT = 1 << 20; // elements of type f32

  public static void main(String[] args) throws Exception {
    if (args.length != 2) {
      System.err.println("usage: AllReduce URI URI");
      System.exit(2);
    }
    float[] sums = new float[COUNT];
    try (Device first = Hal.openDevice(args[0]);
        Device second = Hal.openDevice(args[1]);
        DeviceBuffer x = first.allocate(4L * COUNT, BufferParams.DEVICE);
        DeviceBuffer y = second.allocate(4L * COUNT, BufferParams.DEVICE);
        TimelineSemaphore computed0 = first.createSemaphore(0);
        TimelineSemaphore computed1 = second.createSemaphore(0);
        TimelineSemaphore summed = first.createSemaphore(0);
        TimelineSemaphore done = second.createSemaphore(0);
        CollectiveGroup group = CollectiveGroup.of(first, second)) {
      first.queue(0).fill(Fence.NONE, computed0.at(1), x, 0, x.size(), all(1));
      second.queue(0).fill(Fence.NONE, computed1.at(1), y, 0, y.size(), all(2));
      group.allReduce(
          Reduction.SUM,
          ElementType.F32,
          List.of(
              new Rank(computed0.at(1), summed.at(1), x, x), // rank 0, in place
              new Rank(computed1.at(1), summed.at(1), y, y))); // rank 1, too
      second.queue(0).readback(summed.at(1), done.at(1), y, 0, HostMemory.of(sums));
      done.await(1, Duration.ofMinutes(1)); // the group's own deadline is shorter
    }
    System.out.println(sums[0] + " " + sums[COUNT - 1]);
  }

  private static FillPattern all(float value) {
    return FillPattern.of32(Float.floatToIntBits(value));
  }
}
