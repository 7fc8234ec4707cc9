// SPDX-License-Identifier: Apache-2.0
package org.jhal.faults.order;

import static org.jhal.faults.order.Shared.KERNELS;
import static org.jhal.faults.order.Shared.LIMIT;
import static org.jhal.faults.order.Shared.N;
import static org.jhal.faults.order.Shared.ramp;

import java.util.List;
import org.jhal.Args;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.QueueSteps;
import org.jhal.Sequence;
import org.jhal.faults.OrderFault;
import org.jhal.faults.Twin;

/** A kernel that reads neighbours gets one buffer as source and as target. */
public final class Aliasing implements OrderFault {
  @Override
  public float[] run(List<Device> devices, Twin twin) throws InterruptedException {
    Device device = devices.get(0);
    float[] result = new float[N];
    try (Executable kernels = device.loadExecutable(KERNELS);
        Sequence sequence = device.createSequence()) {
      QueueSteps steps = sequence.on(device.queue(0));
      Kernel shift = kernels.kernel("shift");
      DeviceBuffer x = steps.uploading(HostMemory.of(ramp(N, 0)));
      DeviceBuffer y = twin == Twin.SOUND ? steps.allocate(ElementType.F32, N) : x;
      steps.dispatch(shift, shift.covering(N), Args.of(N, x, y));
      steps.readback(y, HostMemory.of(result));
      sequence.await(LIMIT);
    }
    return result;
  }

  @Override
  public float[] expected() {
    float[] shifted = ramp(N, 1);
    shifted[N - 1] = 0;
    return shifted;
  }
}
