// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.twin;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.jhal.Device;
import org.jhal.DeviceUri;
import org.jhal.Status;
import org.jhal.cts.Controls;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.NativeStream;
import org.jhal.driver.support.ReusableEvent;
import org.jhal.engine.EngineDevice;
import org.jhal.testkit.ControlledBackend;
import org.jhal.testkit.DeviceControls;

/** Twins in which the suite makes calls fail and holds streams. */
final class TwinControls extends DeviceControls implements Controls {
  private TwinControls(EngineDevice<?> device, ControlledBackend<?> backend) {
    super(device, backend, device::lose);
  }

  /** Opens a device that {@link #of} knows. */
  static Device open(String uri) {
    TwinDriver driver =
        new TwinDriver() {
          @Override
          DeviceBackend<ReusableEvent<CountDownLatch>> backend(TwinDevice device) {
            return new ControlledBackend<>(device);
          }
        };
    return driver.open(DeviceUri.parse(uri));
  }

  /** The controls of a device from {@link #open}; nothing for any other. */
  static Optional<Controls> of(Device device) {
    return device instanceof EngineDevice<?> engine
            && engine.backend() instanceof ControlledBackend<?> backend
            && backend.real() instanceof TwinDevice
        ? Optional.of(new TwinControls(engine, backend))
        : Optional.empty();
  }

  @Override
  protected Runnable hold(int index, NativeStream<?> stream) {
    CountDownLatch held = new CountDownLatch(1);
    ((TwinStream) stream).waitFor(List.of(held));
    return held::countDown;
  }

  @Override
  public void failNext(String call, int nth, Status status, boolean sticky) {
    failNth(call, nth, Controls.injected(call, nth, status, sticky));
  }
}
