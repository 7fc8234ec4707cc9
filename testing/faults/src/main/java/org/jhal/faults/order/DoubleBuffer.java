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

/** Two buffers take turns: one is uploaded while the kernel reads the other one. */
public final class DoubleBuffer implements OrderFault {
  private static final int FRAMES = 8;

  @Override
  public float[] run(List<Device> devices, Twin twin) throws InterruptedException {
    Device device = devices.get(0);
    DeviceQueue loading = device.queue(0);
    DeviceQueue computing = device.queue(device.queueCount() - 1);
    float[] result = new float[N];
    try (Executable kernels = device.loadExecutable(KERNELS);
        TimelineSemaphore loaded = device.createSemaphore();
        TimelineSemaphore computed = device.createSemaphore();
        DeviceBuffer even = device.allocate(ElementType.F32, N);
        DeviceBuffer odd = device.allocate(ElementType.F32, N);
        DeviceBuffer sum = device.allocate(ElementType.F32, N)) {
      List<DeviceBuffer> inputs = List.of(even, odd);
      Kernel add = kernels.kernel("add");
      computing.fill(Fence.NONE, computed.at(1), sum, 0, BYTES, FillPattern.ZERO);
      for (int k = 0; k < FRAMES; k++) {
        DeviceBuffer input = inputs.get(k % 2);
        HostMemory frame = HostMemory.of(ramp(N, k));
        // Frame k raises loaded to k + 1, and its kernel computed to k + 2.
        Fence order = k == 0 ? Fence.NONE : loaded.at(k);
        Fence free = twin == Twin.SOUND && k >= 2 ? order.and(computed.at(k)) : order;
        loading.upload(free, loaded.at(k + 1), frame, input, 0);
        Fence ready = Fence.of(loaded.at(k + 1), computed.at(k + 1));
        computing.dispatch(ready, computed.at(k + 2), add, add.covering(N), Args.of(N, input, sum));
      }
      computing.readback(
          computed.at(FRAMES + 1), computed.at(FRAMES + 2), sum, 0, HostMemory.of(result));
      computed.await(FRAMES + 2, LIMIT);
    }
    return result;
  }

  @Override
  public float[] expected() {
    // The sum of k + i over all frames k.
    return ramp(N, (FRAMES - 1) / 2f, FRAMES);
  }
}
