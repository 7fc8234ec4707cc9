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
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.QueueSteps;
import org.jhal.Sequence;
import org.jhal.Timepoint;
import org.jhal.faults.OrderFault;
import org.jhal.faults.Twin;

/** A device takes over what another one computes. */
public final class BetweenDevices implements OrderFault {
  @Override
  public float[] run(List<Device> devices, Twin twin) throws InterruptedException {
    Device one = devices.get(0);
    Device two = devices.get(1);
    float[] result = new float[N];
    try (Executable onOne = one.loadExecutable(KERNELS);
        Executable onTwo = two.loadExecutable(KERNELS);
        Sequence first = one.createSequence();
        Sequence second = two.createSequence()) {
      QueueSteps produce = first.on(one.queue(0));
      Kernel scale = onOne.kernel("scale");
      DeviceBuffer x = produce.uploading(HostMemory.of(ramp(N, 1)));
      DeviceBuffer y = produce.allocate(ElementType.F32, N);
      Timepoint produced = produce.dispatch(scale, scale.covering(N), Args.of(N, 2f, x, y));

      QueueSteps consume = second.on(two.queue(0));
      DeviceBuffer copy = consume.allocate(ElementType.F32, N);
      DeviceBuffer twice = consume.allocate(ElementType.F32, N);
      if (twin == Twin.SOUND) {
        consume.waitFor(produced);
      }
      consume.copy(y, copy);
      consume.dispatch(onTwo.kernel("scale"), scale.covering(N), Args.of(N, 3f, copy, twice));
      consume.readback(twice, HostMemory.of(result));
      first.await(LIMIT);
      second.await(LIMIT);
    }
    return result;
  }

  @Override
  public float[] expected() {
    return ramp(N, 1, 6);
  }
}
