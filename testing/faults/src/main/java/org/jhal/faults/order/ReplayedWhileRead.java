// SPDX-License-Identifier: Apache-2.0
package org.jhal.faults.order;

import static org.jhal.faults.order.Shared.BYTES;
import static org.jhal.faults.order.Shared.KERNELS;
import static org.jhal.faults.order.Shared.LIMIT;
import static org.jhal.faults.order.Shared.N;
import static org.jhal.faults.order.Shared.ramp;

import java.util.Arrays;
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

/** A recording runs twice; the host reads its output after each run. */
public final class ReplayedWhileRead implements OrderFault {
  @Override
  public float[] run(List<Device> devices, Twin twin) throws InterruptedException {
    Device device = devices.get(0);
    DeviceQueue queue = device.queue(0);
    float[] results = new float[2 * N];
    try (Executable kernels = device.loadExecutable(KERNELS);
        CommandBuffer recording = device.createCommandBuffer(CommandBuffer.Mode.REUSABLE);
        TimelineSemaphore run = device.createSemaphore();
        TimelineSemaphore read = device.createSemaphore();
        DeviceBuffer x = device.allocate(ElementType.F32, N);
        DeviceBuffer y = device.allocate(ElementType.F32, N)) {
      Kernel add = kernels.kernel("add");
      recording.dispatch(add, add.covering(N), Args.of(N, x, y));
      recording.end();

      queue.upload(Fence.NONE, run.at(1), HostMemory.of(ramp(N, 1)), x, 0);
      queue.fill(run.at(1), run.at(2), y, 0, BYTES, FillPattern.ZERO);
      queue.execute(run.at(2), run.at(3), recording);
      queue.readback(run.at(3), read.at(1), y, 0, HostMemory.of(results, 0, N));

      Fence free = twin == Twin.SOUND ? run.at(3).and(read.at(1)) : run.at(3);
      queue.execute(free, run.at(4), recording);
      queue.readback(run.at(4).and(read.at(1)), read.at(2), y, 0, HostMemory.of(results, N, N));
      read.await(2, LIMIT);
    }
    return results;
  }

  @Override
  public float[] expected() {
    float[] results = Arrays.copyOf(ramp(N, 1), 2 * N);
    System.arraycopy(ramp(N, 1, 2), 0, results, N, N);
    return results;
  }
}
