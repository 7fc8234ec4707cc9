// SPDX-License-Identifier: Apache-2.0
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.jhal.*;

/** Short kernels beside long ones, on a queue with a rank: Urgent DEVICE. */
public class Urgent {
  static final int LARGE = 1 << 20; // numbers of the long kernel
  static final int SMALL = 64;
  static final int REQUESTS = 50;
  static final Duration LIMIT = Duration.ofSeconds(30);

  public static void main(String[] args) throws Exception {
    QueueRequest request =
        QueueRequest.DEFAULT.withPriority(QueueRequest.Priority.HIGH).withName("urgent");
    try (Device device = Hal.openDevice(args[0]);
        Executable kernels = device.loadExecutable(ExecutableSource.of(Path.of("examples/saxpy")));
        AcquiredQueue queue = acquire(device, request);
        Sequence background = device.createSequence()) {
      System.out.println(queue.granted()); // what the device really gives
      Kernel saxpy = kernels.kernel("saxpy");
      QueueSteps load = background.on(device.queue(0));
      DeviceBuffer large = load.uploading(HostMemory.of(new float[LARGE]));
      for (int i = 0; i < 40; i++) { // nobody waits for these
        load.dispatch(saxpy, Workgroups.of(LARGE / 256), Args.of(LARGE, 1.0, large, large));
      }
      long[] nanos = new long[REQUESTS];
      float[] numbers = new float[SMALL];
      for (int i = 0; i < REQUESTS; i++) { // a user waits for each of these
        long start = System.nanoTime();
        try (Sequence answer = device.createSequence()) {
          QueueSteps steps = answer.on(queue);
          Arrays.fill(numbers, i);
          DeviceBuffer x = steps.uploading(HostMemory.of(numbers));
          steps.dispatch(saxpy, Workgroups.of(1), Args.of(SMALL, 2.0, x, x));
          steps.readback(x, HostMemory.of(numbers));
          answer.await(LIMIT);
        }
        nanos[i] = System.nanoTime() - start;
        if (numbers[SMALL - 1] != 3 * i) {
          throw new AssertionError("request " + i + " got " + numbers[SMALL - 1]);
        }
      }
      Arrays.sort(nanos);
      System.out.println("median " + nanos[REQUESTS / 2] / 1000 + " us");
      background.await(LIMIT);
      System.out.println(REQUESTS + " answers");
    }
  }

  /** With a quarter of the device, if its compute units can be divided. */
  static AcquiredQueue acquire(Device device, QueueRequest request) {
    boolean canShare = device.capabilities().contains(Capability.QUEUE_SHARE);
    return device.acquireQueue(canShare ? request.withShare(0.25) : request);
  }
}
