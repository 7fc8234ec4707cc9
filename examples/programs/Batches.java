// SPDX-License-Identifier: Apache-2.0
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jhal.*;

/** Streams 200 batches over three queues, with at most 4 in flight: Batches DEVICE. */
public class Batches {
  static final int BATCHES = 200;
  static final int IN_FLIGHT = 4;
  static final int ITEMS = 1 << 16;
  static final Duration LIMIT = Duration.ofSeconds(30);

  /** What a batch in flight occupies. Its steps follow one another; those of others do not wait. */
  record Place(Sequence sequence, DeviceBuffer x, DeviceBuffer y, float[] in, float[] out) {}

  public static void main(String[] args) throws Exception {
    double sum = 0;
    try (Device device = Hal.openDevice(args[0] + "://0?queues=3");
        Executable kernels = device.loadExecutable(ExecutableSource.of(Path.of("examples/saxpy")))) {
      Kernel saxpy = kernels.kernel("saxpy");
      List<Place> places = new ArrayList<>();
      for (int i = 0; i < IN_FLIGHT; i++) {
        DeviceBuffer x = device.allocate(ElementType.F32, ITEMS);
        DeviceBuffer y = device.allocate(ElementType.F32, ITEMS);
        places.add(new Place(device.createSequence(), x, y, new float[ITEMS], new float[ITEMS]));
      }
      for (int batch = 0; batch < BATCHES + IN_FLIGHT; batch++) {
        Place place = places.get(batch % IN_FLIGHT);
        place.sequence.await(LIMIT); // the batch that was here before is over
        sum += place.out[batch % ITEMS];
        if (batch < BATCHES) {
          Arrays.fill(place.in, batch); // the host prepares one while others are on the device
          enqueue(device.queue(batch % 3), saxpy, place);
        } else {
          place.sequence.close();
          place.x.close();
          place.y.close();
        }
      }
    }
    System.out.println("200 batches, sum " + sum); // 2 * (0 + 1 + ... + 199) + 200
  }

  static void enqueue(DeviceQueue queue, Kernel saxpy, Place place) {
    QueueSteps steps = place.sequence.on(queue);
    steps.upload(HostMemory.of(place.in), place.x);
    steps.fill(place.y, FillPattern.of(1f));
    steps.dispatch(saxpy, saxpy.covering(ITEMS), Args.of(ITEMS, 2.0, place.x, place.y));
    steps.readback(place.y, HostMemory.of(place.out));
  }
}
