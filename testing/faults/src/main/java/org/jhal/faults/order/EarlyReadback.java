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
import org.jhal.DeviceQueue;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.Fence;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.TimelineSemaphore;
import org.jhal.faults.OrderFault;
import org.jhal.faults.Twin;

/** The readback waits for the upload, but not for the kernel. */
public final class EarlyReadback implements OrderFault {
  @Override
  public float[] run(List<Device> devices, Twin twin) throws InterruptedException {
    Device device = devices.get(0);
    DeviceQueue queue = device.queue(0);
    float[] result = new float[N];
    try (Executable kernels = device.loadExecutable(KERNELS);
        TimelineSemaphore loaded = device.createSemaphore();
        TimelineSemaphore computed = device.createSemaphore();
        TimelineSemaphore read = device.createSemaphore();
        DeviceBuffer x = device.allocate(ElementType.F32, N);
        DeviceBuffer y = device.allocate(ElementType.F32, N)) {
      Kernel scale = kernels.kernel("scale");
      queue.upload(Fence.NONE, loaded.at(1), HostMemory.of(ramp(N, 1)), x, 0);
      queue.dispatch(loaded.at(1), computed.at(1), scale, scale.covering(N), Args.of(N, 4f, x, y));
      Fence ready = twin == Twin.SOUND ? computed.at(1) : loaded.at(1);
      queue.readback(ready, read.at(1), y, 0, HostMemory.of(result));
      Fence.of(computed.at(1), read.at(1)).awaitAll(LIMIT);
    }
    return result;
  }

  @Override
  public float[] expected() {
    return ramp(N, 1, 4);
  }
}
