// SPDX-License-Identifier: Apache-2.0
package org.jhal.faults.order;

import static org.jhal.faults.order.Shared.BYTES;
import static org.jhal.faults.order.Shared.KERNELS;
import static org.jhal.faults.order.Shared.LIMIT;
import static org.jhal.faults.order.Shared.N;
import static org.jhal.faults.order.Shared.ramp;

import java.util.List;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.TimelineSemaphore;
import org.jhal.faults.OrderFault;
import org.jhal.faults.Twin;

/** Memory of the timeline is freed when its writer has ended, and not its reader. */
public final class FreedTooEarly implements OrderFault {
  @Override
  public float[] run(List<Device> devices, Twin twin) throws InterruptedException {
    Device device = devices.get(0);
    DeviceQueue queue = device.queue(0);
    float[] result = new float[N];
    try (Executable kernels = device.loadExecutable(KERNELS);
        TimelineSemaphore time = device.createSemaphore();
        TimelineSemaphore freed = device.createSemaphore();
        DeviceBuffer y = device.allocate(ElementType.F32, N)) {
      Kernel add = kernels.kernel("add");
      queue.fill(Fence.NONE, time.at(1), y, 0, BYTES, FillPattern.ZERO);
      DeviceBuffer scratch = queue.alloca(time.at(1), time.at(2), BYTES, BufferParams.DEVICE);
      queue.upload(time.at(2), time.at(3), HostMemory.of(ramp(N, 1)), scratch, 0);
      queue.dispatch(time.at(3), time.at(4), add, add.covering(N), Args.of(N, scratch, y));

      Fence unused = twin == Twin.SOUND ? time.at(4) : time.at(3);
      queue.dealloca(unused, freed.at(1), scratch);

      DeviceBuffer next = queue.alloca(freed.at(1), freed.at(2), BYTES, BufferParams.DEVICE);
      queue.fill(freed.at(2), freed.at(3), next, 0, BYTES, FillPattern.of(-1f));
      queue.dealloca(freed.at(3), freed.at(4), next);
      queue.readback(time.at(4), time.at(5), y, 0, HostMemory.of(result));
      Fence.of(time.at(5), freed.at(4)).awaitAll(LIMIT);
    }
    return result;
  }

  @Override
  public float[] expected() {
    return ramp(N, 1);
  }
}
