package org.example.tiny;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.jhal.Device;
import org.jhal.DeviceQueue;
import org.jhal.DeviceUri;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cts.Controls;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.faults.ControlledBackend;
import org.jhal.driver.support.ReusableEvent;
import org.jhal.engine.EngineDevice;

/** Devices in which the suite makes calls fail and holds streams. */
final class TinyControls implements Controls {
  private final EngineDevice<?> device;
  private final ControlledBackend<?> backend;
  private final Map<Integer, CountDownLatch> holds = new HashMap<>(); // by queue; guarded by this

  private TinyControls(EngineDevice<?> device, ControlledBackend<?> backend) {
    this.device = device;
    this.backend = backend;
    backend.setDrain(this::drain);
  }

  /** Opens a device that {@link #of} knows. */
  static Device open(String uri) {
    TinyDriver driver =
        new TinyDriver() {
          @Override
          DeviceBackend<ReusableEvent<CountDownLatch>> backend(TinyDevice real) {
            return new ControlledBackend<>(real);
          }
        };
    return driver.open(DeviceUri.parse(uri));
  }

  /** The controls of a device from {@link #open}; nothing for any other. */
  static Optional<Controls> of(Device device) {
    return device instanceof EngineDevice<?> engine
            && engine.backend() instanceof ControlledBackend<?> backend
        ? Optional.of(new TinyControls(engine, backend))
        : Optional.empty();
  }

  /** Lets everything that was handed over end. */
  private void drain() {
    for (int i = 0; i < device.queueCount(); i++) {
      resume(device.queue(i));
    }
    for (int i = 0; i < device.queueCount(); i++) {
      CountDownLatch passed = new CountDownLatch(1);
      ((TinyStream) backend.stream(i)).add(passed::countDown);
      TinyStream.await(passed);
    }
  }

  @Override
  public synchronized void pause(DeviceQueue queue) {
    CountDownLatch hold = new CountDownLatch(1);
    if (holds.putIfAbsent(queue.index(), hold) == null) {
      ((TinyStream) backend.stream(queue.index())).add(() -> TinyStream.await(hold));
    }
  }

  @Override
  public synchronized void resume(DeviceQueue queue) {
    CountDownLatch hold = holds.remove(queue.index());
    if (hold != null) {
      hold.countDown();
    }
  }

  @Override
  public Set<String> calls() {
    return backend.faults().calls();
  }

  @Override
  public void failNext(String call, int nth, Status status, boolean sticky) {
    Status thrown = sticky ? Status.UNAVAILABLE : status;
    backend.faults().failNth(call, nth, new HalException(thrown, call + " was made to fail"));
  }

  @Override
  public void loseDevice(HalException cause) {
    backend.lose(cause);
    device.lose(cause);
  }

  @Override
  public void reset() {
    backend.faults().clear();
    for (int i = 0; i < device.queueCount(); i++) {
      resume(device.queue(i));
    }
  }
}
