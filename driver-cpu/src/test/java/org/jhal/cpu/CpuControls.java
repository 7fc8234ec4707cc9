// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import org.jhal.Device;
import org.jhal.DeviceUri;
import org.jhal.Status;
import org.jhal.cts.Controls;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.NativeStream;
import org.jhal.driver.support.Faults;
import org.jhal.driver.support.HostEvent;
import org.jhal.engine.EngineDevice;
import org.jhal.testkit.ControlledBackend;
import org.jhal.testkit.DeviceControls;

/** Devices in which the suite makes calls and commands fail and holds streams. */
public final class CpuControls extends DeviceControls implements Controls {
  /** The faults of commands, by the device's backend. */
  private static final Map<DeviceBackend<?>, Faults> COMMANDS =
      Collections.synchronizedMap(new WeakHashMap<>());

  private CpuControls(EngineDevice<?> device, ControlledBackend<?> backend, Faults commands) {
    super(device, backend, device::lose, commands);
  }

  /** Opens a device that {@link #of} knows. */
  public static Device open(String uri) {
    Faults commands = new Faults(FailingExecution.CALLS);
    CpuDriver driver =
        new CpuDriver() {
          @Override
          CpuExecution execution(CpuDevice device, CpuThreads threads) {
            return new FailingExecution(device, threads, commands);
          }

          @Override
          DeviceBackend<HostEvent> backend(CpuDevice device) {
            ControlledBackend<HostEvent> controlled = new ControlledBackend<>(device);
            COMMANDS.put(controlled, commands);
            return controlled;
          }
        };
    return driver.open(DeviceUri.parse(uri));
  }

  /** The controls of a device from {@link #open}; nothing for any other. */
  public static Optional<Controls> of(Device device) {
    if (device instanceof EngineDevice<?> engine
        && engine.backend() instanceof ControlledBackend<?> backend) {
      Faults commands = COMMANDS.get(backend);
      if (commands != null) {
        return Optional.of(new CpuControls(engine, backend, commands));
      }
    }
    return Optional.empty();
  }

  @Override
  protected Runnable hold(int index, NativeStream<?> stream) {
    CpuStream its = (CpuStream) stream;
    HostEvent held = its.createEvent();
    long recording = held.record();
    its.add(new ArrayDeque<>(List.of(its.waiting(held))));
    return () -> held.fire(recording);
  }

  @Override
  public void failNext(String call, int nth, Status status, boolean sticky) {
    failNth(call, nth, Controls.injected(call, nth, status, sticky));
  }
}
