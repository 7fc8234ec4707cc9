package org.example.tiny;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.jhal.Device;
import org.jhal.DeviceInfo;
import org.jhal.DeviceQueue;
import org.jhal.DeviceUri;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cts.Controls;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.faults.ControlledBackend;
import org.jhal.driver.faults.Faults;
import org.jhal.driver.support.ReusableEvent;
import org.jhal.engine.EngineDevice;

/** Devices in which the suite makes calls fail and holds streams. */
final class TinyControls implements Controls {
  private final EngineDevice<?> device;
  private final ControlledBackend<?> backend;
  private final List<Faults> faults; // of calls that the engine makes, and of those inside
  private final Map<Integer, CountDownLatch> holds = new HashMap<>(); // by stream; guarded by this

  private TinyControls(EngineDevice<?> device, ControlledBackend<?> backend, FailingTiny tiny) {
    this.device = device;
    this.backend = backend;
    this.faults = List.of(backend.faults(), tiny.faults);
    backend.setDrain(this::drain);
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

  /** Lets everything that was handed over end. */
  private void drain() {
    for (int i = 0; i < backend.streamCount(); i++) {
      resume(i);
    }
    for (int i = 0; i < backend.streamCount(); i++) {
      CountDownLatch passed = new CountDownLatch(1);
      ((TinyStream) backend.stream(i)).add(passed::countDown);
      TinyStream.await(passed);
    }
  }

  @Override
  public void pause(DeviceQueue queue) {
    pause(queue.index());
  }

  private synchronized void pause(int stream) {
    CountDownLatch hold = new CountDownLatch(1);
    if (holds.putIfAbsent(stream, hold) == null) {
      ((TinyStream) backend.stream(stream)).add(() -> TinyStream.await(hold));
    }
  }

  @Override
  public void resume(DeviceQueue queue) {
    resume(queue.index());
  }

  private synchronized void resume(int stream) {
    CountDownLatch hold = holds.remove(stream);
    if (hold != null) {
      hold.countDown();
    }
  }

  @Override
  public boolean pauseGroups() {
    int hidden = device.queueCount(); // it comes after those of the queues
    if (hidden == backend.streamCount()) {
      return false;
    }
    pause(hidden);
    return true;
  }

  @Override
  public void resumeGroups() {
    resume(device.queueCount());
  }

  @Override
  public Set<String> calls() {
    Set<String> calls = new HashSet<>();
    faults.forEach(some -> calls.addAll(some.calls()));
    return calls;
  }

  @Override
  public void failNext(String call, int nth, Status status, boolean sticky) {
    for (Faults some : faults) {
      if (some.calls().contains(call)) {
        some.failNth(call, nth, Controls.injected(call, nth, status, sticky));
      }
    }
  }

  @Override
  public void loseDevice(HalException cause) {
    backend.lose(cause);
    device.lose(cause);
  }

  @Override
  public void reset() {
    faults.forEach(Faults::clear);
    for (int i = 0; i < backend.streamCount(); i++) {
      resume(i);
    }
  }
}
