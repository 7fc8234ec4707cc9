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

/** One queue uploads, another one computes. */
public final class UploadOnOtherQueue implements OrderFault {
  @Override
  public float[] run(List<Device> devices, Twin twin) throws InterruptedException {
    Device device = devices.get(0);
    DeviceQueue loading = device.queue(0);
    DeviceQueue computing = device.queue(device.queueCount() - 1);
    float[] result = new float[N];
    try (Executable kernels = device.loadExecutable(KERNELS);
        TimelineSemaphore loaded = device.createSemaphore();
        TimelineSemaphore done = device.createSemaphore();
        DeviceBuffer x = device.allocate(ElementType.F32, N);
        DeviceBuffer y = device.allocate(ElementType.F32, N)) {
      Kernel scale = kernels.kernel("scale");
      loading.upload(Fence.NONE, loaded.at(1), HostMemory.of(ramp(N, 1)), x, 0);

      Fence ready = twin == Twin.SOUND ? loaded.at(1) : Fence.NONE;
      computing.dispatch(ready, done.at(1), scale, scale.covering(N), Args.of(N, 2f, x, y));

      computing.readback(done.at(1), done.at(2), y, 0, HostMemory.of(result));
      Fence.of(loaded.at(1), done.at(2)).awaitAll(LIMIT);
    }
    return result;
  }

  @Override
  public float[] expected() {
    return ramp(N, 1, 2);
  }
}
