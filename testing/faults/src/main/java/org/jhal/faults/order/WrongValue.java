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

/** The rounds share a timeline; each raises it three times. */
public final class WrongValue implements OrderFault {
  private static final int ROUNDS = 4;

  @Override
  public float[] run(List<Device> devices, Twin twin) throws InterruptedException {
    Device device = devices.get(0);
    DeviceQueue queue = device.queue(0);
    float[] results = new float[ROUNDS * N];
    try (Executable kernels = device.loadExecutable(KERNELS);
        TimelineSemaphore time = device.createSemaphore();
        TimelineSemaphore read = device.createSemaphore();
        DeviceBuffer x = device.allocate(ElementType.F32, N);
        DeviceBuffer y = device.allocate(ElementType.F32, N)) {
      Kernel scale = kernels.kernel("scale");
      for (int r = 0; r < ROUNDS; r++) {
        int base = 2 * r;
        Fence before = r == 0 ? Fence.NONE : time.at(base).and(read.at(r));
        queue.upload(before, time.at(base + 1), HostMemory.of(ramp(N, r)), x, 0);
        Args args = Args.of(N, 2f, x, y);
        queue.dispatch(time.at(base + 1), time.at(base + 2), scale, scale.covering(N), args);
        Fence ready = time.at(twin == Twin.SOUND ? base + 2 : base + 1);
        queue.readback(ready, read.at(r + 1), y, 0, HostMemory.of(results, r * N, N));
      }
      Fence.of(time.at(2 * ROUNDS), read.at(ROUNDS)).awaitAll(LIMIT);
    }
    return results;
  }

  @Override
  public float[] expected() {
    float[] results = new float[ROUNDS * N];
    for (int r = 0; r < ROUNDS; r++) {
      System.arraycopy(ramp(N, r, 2), 0, results, r * N, N);
    }
    return results;
  }
}
