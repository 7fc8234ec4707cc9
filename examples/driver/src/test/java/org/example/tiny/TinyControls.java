// SPDX-License-Identifier: Apache-2.0
package org.example.tiny;

import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.jhal.Device;
import org.jhal.DeviceInfo;
import org.jhal.DeviceUri;
import org.jhal.Status;
import org.jhal.cts.Controls;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.NativeStream;
import org.jhal.driver.support.ReusableEvent;
import org.jhal.engine.EngineDevice;
import org.jhal.testkit.ControlledBackend;
import org.jhal.testkit.DeviceControls;

/** Devices in which the suite makes calls fail and holds streams. */
final class TinyControls extends DeviceControls implements Controls {
  private TinyControls(EngineDevice<?> device, ControlledBackend<?> backend, FailingTiny tiny) {
    super(device, backend, device::lose, tiny.faults);
  }

  /** Opens a device that {@link #of} knows. */
  static Device open(String uri) {
    TinyDriver driver =
        new TinyDriver() {
          @Override
          DeviceBackend<ReusableEvent<CountDownLatch>> backend(DeviceInfo info) {
            return new ControlledBackend<>(new FailingTiny(info));
          }
        };
    return driver.open(DeviceUri.parse(uri));
  }

  /** The controls of a device from {@link #open}; nothing for any other. */
  static Optional<Controls> of(Device device) {
    return device instanceof EngineDevice<?> engine
            && engine.backend() instanceof ControlledBackend<?> backend
            && backend.real() instanceof FailingTiny tiny
        ? Optional.of(new TinyControls(engine, backend, tiny))
        : Optional.empty();
  }

  @Override
  protected Runnable hold(int index, NativeStream<?> stream) {
    CountDownLatch held = new CountDownLatch(1);
    ((TinyStream) stream).add(() -> TinyStream.await(held));
    return held::countDown;
  }

  @Override
  public void failNext(String call, int nth, Status status, boolean sticky) {
    failNth(call, nth, Controls.injected(call, nth, status, sticky));
  }
}
