// SPDX-License-Identifier: Apache-2.0
package org.jhal.faults.order;

import static org.jhal.faults.order.Shared.BYTES;
import static org.jhal.faults.order.Shared.KERNELS;
import static org.jhal.faults.order.Shared.LIMIT;
import static org.jhal.faults.order.Shared.N;
import static org.jhal.faults.order.Shared.ramp;

import java.util.List;
import org.jhal.Args;
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

/** A program that takes a queue for a sequence. */
public final class SameQueue implements OrderFault {
  @Override
  public float[] run(List<Device> devices, Twin twin) throws InterruptedException {
    Device device = devices.get(0);
    DeviceQueue queue = device.queue(0);
    float[] result = new float[N];
    try (Executable kernels = device.loadExecutable(KERNELS);
        TimelineSemaphore time = device.createSemaphore();
        TimelineSemaphore filled = device.createSemaphore();
        DeviceBuffer x = device.allocate(ElementType.F32, N);
        DeviceBuffer y = device.allocate(ElementType.F32, N)) {
      Kernel add = kernels.kernel("add");
      queue.upload(Fence.NONE, time.at(1), HostMemory.of(ramp(N, 0)), x, 0);
      queue.fill(Fence.NONE, filled.at(1), y, 0, BYTES, FillPattern.of(1f));

      Fence ready = twin == Twin.SOUND ? time.at(1).and(filled.at(1)) : time.at(1);
      queue.dispatch(ready, time.at(2), add, add.covering(N), Args.of(N, x, y));

      queue.readback(time.at(2), time.at(3), y, 0, HostMemory.of(result));
      Fence.of(time.at(3), filled.at(1)).awaitAll(LIMIT);
    }
    return result;
  }

  @Override
  public float[] expected() {
    return ramp(N, 1);
  }
}
