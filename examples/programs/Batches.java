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
  record Place(Sequence steps, DeviceBuffer x, DeviceBuffer y, float[] in, float[] out) {}

  public static void main(String[] args) throws Exception {
    double sum = 0;
    try (Device device = Hal.openDevice(args[0] + "://0?queues=3");
        Executable kernels = device.loadExecutable(ExecutableSource.of(Path.of("examples/saxpy")))) {
      Kernel saxpy = kernels.kernel("saxpy");
      List<Place> places = new ArrayList<>();
      for (int i = 0; i < IN_FLIGHT; i++) {
        DeviceBuffer x = device.allocate(4L * ITEMS, BufferParams.DEVICE);
        DeviceBuffer y = device.allocate(4L * ITEMS, BufferParams.DEVICE);
        places.add(new Place(device.createSequence(), x, y, new float[ITEMS], new float[ITEMS]));
      }
      for (int batch = 0; batch < BATCHES + IN_FLIGHT; batch++) {
        Place place = places.get(batch % IN_FLIGHT);
        place.steps.await(LIMIT); // the batch that was here before is over
        sum += place.out[batch % ITEMS];
        if (batch < BATCHES) {
          Arrays.fill(place.in, batch); // the host prepares one while others are on the device
          enqueue(device.queue(batch % 3), saxpy, place);
        } else {
          place.steps.close();
          place.x.close();
          place.y.close();
        }
      }
    }
    System.out.println("200 batches, sum " + sum); // 2 * (0 + 1 + ... + 199) + 200
  }

  static void enqueue(DeviceQueue queue, Kernel saxpy, Place place) {
    FillPattern one = FillPattern.of32(Float.floatToIntBits(1));
    Args args = Args.of(ITEMS, 2.0, place.x, place.y);
    place.steps.step((w, s) -> queue.upload(w, s, HostMemory.of(place.in), place.x, 0));
    place.steps.step((w, s) -> queue.fill(w, s, place.y, 0, 4L * ITEMS, one));
    place.steps.step((w, s) -> queue.dispatch(w, s, saxpy, saxpy.covering(ITEMS), args));
    place.steps.step((w, s) -> queue.readback(w, s, place.y, 0, HostMemory.of(place.out)));
  }
}
