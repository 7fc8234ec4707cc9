// SPDX-License-Identifier: Apache-2.0
import java.nio.file.Path;
import java.time.Duration;
import org.jhal.*;

/** A sequence of four steps, of which the host waits for the last: Steps DEVICE. */
public class Steps {
  static final int ITEMS = 1 << 21;
  static final float[] VALUES = new float[ITEMS];

  public static void main(String[] args) throws Exception {
    try (Device device = Hal.openDevice(args[0]);
        Executable kernels = device.loadExecutable(ExecutableSource.of(Path.of("examples/saxpy")));
        Sequence sequence = device.createSequence()) {
      Kernel saxpy = kernels.kernel("saxpy");
      DeviceBuffer x = device.allocate(ElementType.F32, ITEMS);
      DeviceBuffer y = device.allocate(ElementType.F32, ITEMS);
      QueueSteps steps = sequence.on(device.queue(0));
      steps.upload(HostMemory.of(VALUES), x);
      steps.fill(y, FillPattern.of(1f));
      steps.dispatch(saxpy, saxpy.covering(ITEMS), Args.of(ITEMS, 2.0, x, y));
      steps.readback(y, HostMemory.of(VALUES));
      sequence.await(Duration.ofSeconds(30));
      x.close();
      y.close();
    }
  }
}
