// SPDX-License-Identifier: Apache-2.0
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.*;
import org.jhal.*;

/** Answers 200 requests at the same time, with time limits and cancellation: Service DEVICE. */
public class Service {
  static final Duration LIMIT = Duration.ofSeconds(30);

  public static void main(String[] args) throws Exception {
    List<String> answers = new ArrayList<>();
    try (Device device = Hal.openDevice(args[0] + "://0?queues=4");
        Executable kernels = device.loadExecutable(ExecutableSource.of(Path.of("examples/saxpy")));
        TimelineSemaphore never = device.createSemaphore()) {
      List<Future<String>> requests = new ArrayList<>();
      for (int number = 0; number < 200; number++) {
        DeviceQueue queue = device.queue(number % device.queueCount());
        requests.add(answer(queue, kernels.kernel("saxpy"), never.at(1), number));
      }
      for (Future<String> request : requests) {
        answers.add(request.get(60, TimeUnit.SECONDS));
      }
    }
    for (String kind : List.of("right", "DEADLINE_EXCEEDED", "cancelled")) {
      System.out.println(Collections.frequency(answers, kind) + " " + kind);
    }
  }

  /** Every tenth request waits for something that never comes, every other tenth is cancelled. */
  static Future<String> answer(DeviceQueue queue, Kernel saxpy, Fence never, int number) {
    boolean isLate = number % 10 == 0;
    boolean isCancelled = number % 10 == 1;
    CompletableFuture<float[]> result =
        queue.compute(
            isLate ? Duration.ofMillis(20) : LIMIT,
            steps -> { // in a sequence of their own, so that failures stay their own
              float[] data = new float[1000];
              Arrays.fill(data, number);
              DeviceBuffer x = steps.uploading(HostMemory.of(data));
              steps.waitFor(isLate || isCancelled ? never : Fence.NONE);
              steps.dispatch(saxpy, saxpy.covering(1000), Args.of(1000, 1.0, x, x));
              steps.readback(x, HostMemory.of(data));
              return data;
            });
    if (isCancelled) {
      result.cancel(true); // as a late one: cancels steps that wait for one before, frees the rest
    }
    return result.handle(
        (data, failure) -> {
          if (failure != null) {
            return failure instanceof HalException late ? late.status().name() : "cancelled";
          }
          return data[number] == 2 * number ? "right" : "wrong";
        });
  }
}
