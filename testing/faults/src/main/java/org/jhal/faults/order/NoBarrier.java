// SPDX-License-Identifier: Apache-2.0
package org.jhal.faults.order;

import static org.jhal.faults.order.Shared.BYTES;
import static org.jhal.faults.order.Shared.KERNELS;
import static org.jhal.faults.order.Shared.LIMIT;
import static org.jhal.faults.order.Shared.N;
import static org.jhal.faults.order.Shared.ramp;

import java.util.List;
import org.jhal.Args;
import org.jhal.CommandBuffer;
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

/** The second command of a recording takes what the first one computes. */
public final class NoBarrier implements OrderFault {
  @Override
  public float[] run(List<Device> devices, Twin twin) throws InterruptedException {
    Device device = devices.get(0);
    DeviceQueue queue = device.queue(0);
    float[] result = new float[N];
    try (Executable kernels = device.loadExecutable(KERNELS);
        CommandBuffer recording = device.createCommandBuffer(CommandBuffer.Mode.ONE_SHOT);
        TimelineSemaphore time = device.createSemaphore();
        DeviceBuffer x = device.allocate(ElementType.F32, N);
        DeviceBuffer y = device.allocate(ElementType.F32, N);
        DeviceBuffer z = device.allocate(ElementType.F32, N)) {
      Kernel scale = kernels.kernel("scale");
      Kernel add = kernels.kernel("add");
      recording.dispatch(scale, scale.covering(N), Args.of(N, 2f, x, y));
      if (twin == Twin.SOUND) {
        recording.barrier();
      }
      recording.dispatch(add, add.covering(N), Args.of(N, y, z));
      recording.end();

      queue.upload(Fence.NONE, time.at(1), HostMemory.of(ramp(N, 0)), x, 0);
      queue.fill(time.at(1), time.at(2), z, 0, BYTES, FillPattern.of(1f));
      queue.execute(time.at(2), time.at(3), recording);
      queue.readback(time.at(3), time.at(4), z, 0, HostMemory.of(result));
      time.await(4, LIMIT);
    }
    return result;
  }

  @Override
  public float[] expected() {
    return ramp(N, 0.5f, 2);
  }
}
