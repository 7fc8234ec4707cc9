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
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.TimelineSemaphore;
import org.jhal.faults.OrderFault;
import org.jhal.faults.Twin;

/** Each of two devices has a half of a row, and an element of the other half at its seam. */
public final class HaloExchange implements OrderFault {
  @Override
  public float[] run(List<Device> devices, Twin twin) throws InterruptedException {
    Device left = devices.get(0);
    Device right = devices.get(1);
    float[] result = new float[2 * N];
    try (Executable onLeft = left.loadExecutable(KERNELS);
        Executable onRight = right.loadExecutable(KERNELS);
        TimelineSemaphore a = left.createSemaphore();
        TimelineSemaphore b = right.createSemaphore();
        DeviceBuffer ua = left.allocate(ElementType.F32, N + 2);
        DeviceBuffer va = left.allocate(ElementType.F32, N + 2);
        DeviceBuffer ub = right.allocate(ElementType.F32, N + 2);
        DeviceBuffer vb = right.allocate(ElementType.F32, N + 2)) {
      float[] row = start();
      Kernel smoothA = onLeft.kernel("smooth");
      Kernel smoothB = onRight.kernel("smooth");
      // Both halves with their halos; those at the ends of the row are zero.
      left.queue(0).upload(Fence.NONE, a.at(1), HostMemory.of(row, 0, N + 2), ua, 0);
      right.queue(0).upload(Fence.NONE, b.at(1), HostMemory.of(row, N, N + 2), ub, 0);
      left.queue(0).fill(a.at(1), a.at(2), va, 0, BYTES + 8, FillPattern.ZERO);
      right.queue(0).fill(b.at(1), b.at(2), vb, 0, BYTES + 8, FillPattern.ZERO);
      left.queue(0).dispatch(a.at(2), a.at(3), smoothA, smoothA.covering(N), Args.of(N, ua, va));
      right.queue(0).dispatch(b.at(2), b.at(3), smoothB, smoothB.covering(N), Args.of(N, ub, vb));

      Fence both = a.at(3).and(b.at(3));
      left.queue(0).copy(both, a.at(4), vb, 4, va, BYTES + 4, 4);
      Fence ready = twin == Twin.SOUND ? both : b.at(3);
      right.queue(0).copy(ready, b.at(4), va, BYTES, vb, 0, 4);

      left.queue(0).dispatch(a.at(4), a.at(5), smoothA, smoothA.covering(N), Args.of(N, va, ua));
      right.queue(0).dispatch(b.at(4), b.at(5), smoothB, smoothB.covering(N), Args.of(N, vb, ub));
      left.queue(0).readback(a.at(5), a.at(6), ua, 4, HostMemory.of(result, 0, N));
      right.queue(0).readback(b.at(5), b.at(6), ub, 4, HostMemory.of(result, N, N));
      Fence.of(a.at(6), b.at(6)).awaitAll(LIMIT);
    }
    return result;
  }

  @Override
  public float[] expected() {
    float[] row = start();
    for (int step = 0; step < 2; step++) {
      float[] before = row.clone();
      for (int i = 1; i <= 2 * N; i++) {
        row[i] = before[i - 1] + before[i] + before[i + 1];
      }
    }
    return Arrays.copyOfRange(row, 1, 2 * N + 1);
  }

  private static float[] start() {
    float[] row = new float[2 * N + 2];
    for (int i = 1; i <= 2 * N; i++) {
      row[i] = i % 7;
    }
    return row;
  }
}
