package org.jhal.cpu;

import java.util.List;
import java.util.Optional;
import org.jhal.Device;
import org.jhal.DeviceUri;
import org.jhal.Status;
import org.jhal.cts.Controls;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.NativeStream;
import org.jhal.driver.faults.ControlledBackend;
import org.jhal.driver.faults.DeviceControls;
import org.jhal.engine.EngineDevice;

/** Devices in which the suite makes calls fail and holds streams. */
public final class CpuControls extends DeviceControls implements Controls {
  private CpuControls(EngineDevice<?> device, ControlledBackend<?> backend) {
    super(device, backend, device::lose);
  }

  /** Opens a device that {@link #of} knows. */
  public static Device open(String uri) {
    CpuDriver driver =
        new CpuDriver() {
          @Override
          DeviceBackend<CpuEvent> backend(CpuDevice device) {
            return new ControlledBackend<>(device);
          }
        };
    return driver.open(DeviceUri.parse(uri));
  }

  /** The controls of a device from {@link #open}; nothing for any other. */
  public static Optional<Controls> of(Device device) {
    return device instanceof EngineDevice<?> engine
            && engine.backend() instanceof ControlledBackend<?> backend
            && backend.real() instanceof CpuDevice
        ? Optional.of(new CpuControls(engine, backend))
        : Optional.empty();
  }

  @Override
  protected Runnable hold(int index, NativeStream<?> stream) {
    CpuEvent held = new CpuEvent();
    long recording = held.record();
    ((CpuStream) stream).add(List.of(() -> held.await(recording)));
    return () -> held.fire(recording);
  }

  @Override
  public void failNext(String call, int nth, Status status, boolean sticky) {
    failNth(call, nth, Controls.injected(call, nth, status, sticky));
  }
}
