import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.*;
import org.jhal.*;

/** Answers requests on 50 threads, with time limits and cancellation: Service DEVICE. */
public class Service {
  static final Duration LIMIT = Duration.ofSeconds(30);

  public static void main(String[] args) throws Exception {
    List<String> answers = new ArrayList<>();
    try (Device device = Hal.openDevice(args[0] + "://0?queues=4");
        Executable kernels = device.loadExecutable(ExecutableSource.of(Path.of("examples/saxpy")));
        TimelineSemaphore never = device.createSemaphore()) {
      ExecutorService threads = Executors.newFixedThreadPool(50);
      try {
        List<Future<String>> requests = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
          int number = i;
          requests.add(
              threads.submit(() -> answer(device, kernels.kernel("saxpy"), never, number)));
        }
        for (Future<String> request : requests) {
          answers.add(request.get(60, TimeUnit.SECONDS));
        }
      } finally {
        threads.shutdownNow(); // else they keep the JVM alive if a request has failed
      }
    }
    for (String kind : List.of("right", "late", "cancelled")) {
      System.out.println(Collections.frequency(answers, kind) + " " + kind);
    }
  }

  /** Every tenth request waits for something that never comes, every other tenth is cancelled. */
  static String answer(Device device, Kernel saxpy, TimelineSemaphore never, int number)
      throws Exception {
    float[] data = new float[1000];
    Arrays.fill(data, number);
    DeviceQueue queue = device.queue(number % device.queueCount());
    Fence others = number % 10 < 2 ? never.at(1) : Fence.NONE;
    try (Sequence steps = device.createSequence(); // its own, so that its failures stay its own
        DeviceBuffer x = device.allocate(4000, BufferParams.DEVICE)) {
      steps.step((w, s) -> queue.upload(w, s, HostMemory.of(data), x, 0));
      steps.step(
          others,
          (w, s) -> queue.dispatch(w, s, saxpy, saxpy.covering(1000), Args.of(1000, 1.0, x, x)));
      steps.step((w, s) -> queue.readback(w, s, x, 0, HostMemory.of(data)));
      if (number % 10 == 1) {
        return steps.last().whenAll().cancel(true) ? "cancelled" : "not cancelled";
      }
      boolean isDone = steps.last().tryAwaitAll(number % 10 == 0 ? Duration.ofMillis(20) : LIMIT);
      return !isDone ? "late" : data[number] == 2 * number ? "right" : "wrong";
    } // closing cancels steps that wait for one before; buffers in use live until that is over
  }
}
