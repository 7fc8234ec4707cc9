// SPDX-License-Identifier: Apache-2.0
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.jhal.*;

/** Triples the floats of a file: FileStream DEVICE IN OUT. One queue computes while another one moves blocks. */
public class FileStream {
  static final int BLOCK = 1 << 20; // floats
  static final int IN_FLIGHT = 4;
  static final Duration LIMIT = Duration.ofSeconds(30);

  public static void main(String[] args) throws Exception {
    if (args.length != 3) {
      System.err.println("usage: FileStream DEVICE IN OUT");
      System.exit(2);
    }
    long floats = Files.size(Path.of(args[1])) / 4;
    try (Device device = Hal.openDevice(args[0]);
        Executable kernels = device.loadExecutable(ExecutableSource.of(Path.of("examples/saxpy")));
        DeviceFile in = device.openFile(Path.of(args[1]), StandardOpenOption.READ);
        DeviceFile out =
            device.openFile(
                Path.of(args[2]), StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
      Kernel saxpy = kernels.kernel("saxpy");
      Sequence[] places = new Sequence[IN_FLIGHT];
      QueueSteps[] steps = new QueueSteps[IN_FLIGHT];
      DeviceBuffer[] buffers = new DeviceBuffer[IN_FLIGHT];
      for (int i = 0; i < IN_FLIGHT; i++) {
        places[i] = device.createSequence();
        steps[i] = places[i].on(device.queue(i % device.queueCount()));
        buffers[i] = steps[i].allocate(ElementType.F32, BLOCK);
      }
      for (long at = 0, block = 0; at < floats; at += BLOCK, block++) {
        int place = (int) (block % IN_FLIGHT); // each waits for the block that was here before
        int count = (int) Math.min(BLOCK, floats - at);
        DeviceBuffer part = buffers[place].slice(0, 4L * count);
        steps[place].read(in, 4 * at, part);
        steps[place].dispatch(saxpy, saxpy.covering(count), Args.of(count, 2.0, part, part));
        steps[place].write(part, out, 4 * at);
      }
      for (Sequence place : places) {
        place.await(LIMIT);
        place.close();
      }
    }
    System.out.println(floats + " floats");
  }
}
