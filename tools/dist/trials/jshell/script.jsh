// SPDX-License-Identifier: Apache-2.0
import java.time.Duration
import org.jhal.*
import org.jhal.kernel.*

Device device = Hal.openDevice("mock")
ExecutableSource source = ExecutableSource.builder("doubling").
    kernel("twice", 64, Parameter.inout("x", ElementType.F32)).
    java("twice", group -> {
      Floats x = group.memory(0).floats();
      for (long i = group.firstX(); i < group.endX(x.length()); i++) {
        x.set(i, 2 * x.get(i));
      }
    }).
    build()
Kernel twice = device.loadExecutable(source).kernel("twice")
float[] values = {1, 2, 3}
Sequence sequence = device.createSequence()
QueueSteps steps = sequence.on(device.queue(0))
DeviceBuffer x = steps.uploading(HostMemory.of(values))
steps.dispatch(twice, twice.covering(3), Args.of(x))
steps.readback(x, HostMemory.of(values))
sequence.await(Duration.ofSeconds(60))
System.out.println("jshell: " + Arrays.toString(values))
sequence.close()
device.close()
/exit
