// SPDX-License-Identifier: Apache-2.0
package org.jhal.faults.order;

import static org.jhal.faults.order.Shared.BYTES;
import static org.jhal.faults.order.Shared.KERNELS;
import static org.jhal.faults.order.Shared.LIMIT;
import static org.jhal.faults.order.Shared.N;

import java.util.Arrays;
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

/** One array of the program serves for all frames. */
public final class BorrowedMemory implements OrderFault {
  private static final int FRAMES = 8;

  @Override
  public float[] run(List<Device> devices, Twin twin) throws InterruptedException {
    Device device = devices.get(0);
    DeviceQueue queue = device.queue(0);
    float[] frame = new float[N];
    HostMemory memory = HostMemory.of(frame);
    float[] result = new float[N];
    try (Executable kernels = device.loadExecutable(KERNELS);
        TimelineSemaphore time = device.createSemaphore();
        DeviceBuffer x = device.allocate(ElementType.F32, N);
        DeviceBuffer sum = device.allocate(ElementType.F32, N)) {
      Kernel add = kernels.kernel("add");
      queue.fill(Fence.NONE, time.at(1), sum, 0, BYTES, FillPattern.ZERO);
      for (int k = 0; k < FRAMES; k++) {
        if (twin == Twin.SOUND) {
          memory.awaitFree(LIMIT);
        }
        Arrays.fill(frame, k + 1);
        queue.upload(time.at(2 * k + 1), time.at(2 * k + 2), memory, x, 0);
        queue.dispatch(
            time.at(2 * k + 2), time.at(2 * k + 3), add, add.covering(N), Args.of(N, x, sum));
      }
      int last = 2 * FRAMES + 1;
      queue.readback(time.at(last), time.at(last + 1), sum, 0, HostMemory.of(result));
      time.await(last + 1, LIMIT);
    }
    return result;
  }

  @Override
  public float[] expected() {
    float[] sum = new float[N];
    Arrays.fill(sum, FRAMES * (FRAMES + 1) / 2);
    return sum;
  }
}
