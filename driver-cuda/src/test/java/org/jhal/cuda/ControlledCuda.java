package org.jhal.cuda;

import com.sun.jna.Function;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import jcuda.driver.JCudaDriver;
import org.jhal.Device;
import org.jhal.DeviceUri;
import org.jhal.HalException;
import org.jhal.Queue;
import org.jhal.Status;
import org.jhal.cts.Controls;
import org.jhal.utils.DeviceBackend;
import org.jhal.utils.EngineDevice;
import org.jhal.utils.controls.ControlledBackend;

/**
 * CUDA devices in which tests make calls fail, and hold streams: a held stream waits for a number
 * in memory that the host writes (cuStreamWaitValue32).
 */
public final class ControlledCuda implements Controls {
  private static final int GREATER_OR_EQUAL = 0; // CU_STREAM_WAIT_VALUE_GEQ

  /** A stream that is still held when its device has closed goes on looking at its number. */
  private static final List<HostBlock> KEPT = new ArrayList<>();

  private final EngineDevice<?> device;
  private final ControlledBackend<CudaEvent> backend;
  private final CudaContext context;
  private final HostBlock numbers; // one a queue
  private final int[] holds; // how often each queue was held; guarded by this

  private ControlledCuda(
      EngineDevice<?> device, ControlledBackend<CudaEvent> backend, CudaContext context) {
    this.device = device;
    this.backend = backend;
    this.context = context;
    this.holds = new int[device.queueCount()];
    context.push();
    try {
      numbers = new HostBlock(context, 4L * holds.length);
    } finally {
      context.pop();
    }
    numbers.view(0, 4 * holds.length).put(new byte[4 * holds.length]);
    synchronized (KEPT) {
      KEPT.add(numbers);
    }
    backend.setDrain(this::drain);
  }

  private void drain() {
    context.push();
    try {
      for (int i = 0; i < holds.length; i++) {
        resume(device.queue(i));
      }
      for (int i = 0; i < holds.length; i++) {
        CudaStream stream = (CudaStream) backend.stream(i);
        context.checkFreed("cuStreamSynchronize", JCudaDriver.cuStreamSynchronize(stream.handle()));
      }
    } finally {
      context.pop();
    }
  }

  /** Opens a device that {@link #of} knows. */
  public static Device open(String uri) {
    CudaDriver driver =
        new CudaDriver() {
          @Override
          DeviceBackend<CudaEvent> backend(CudaDevice device) {
            return new ControlledBackend<>(device);
          }
        };
    return driver.open(DeviceUri.parse(uri));
  }

  /** The controls of a device from {@link #open}; nothing for any other. */
  @SuppressWarnings("unchecked") // what is in front of a CudaDevice has its events
  public static Optional<Controls> of(Device device) {
    if (device instanceof EngineDevice<?> engine
        && engine.backend() instanceof ControlledBackend<?> backend
        && backend.real() instanceof CudaDevice cuda) {
      return Optional.of(
          new ControlledCuda(engine, (ControlledBackend<CudaEvent>) backend, cuda.context()));
    }
    return Optional.empty();
  }

  @Override
  public synchronized void pause(Queue queue) {
    String name = "cuStreamWaitValue32";
    CudaLibrary library = CudaLibrary.load();
    Function newer = library.optional(name + "_v2");
    Function wait = newer != null ? newer : Objects.requireNonNull(library.optional(name), name);
    int index = queue.index();
    CudaStream stream = (CudaStream) backend.stream(index);
    context.push();
    try {
      context.check(
          name,
          wait.invokeInt(
              new Object[] {
                Handles.get(stream.handle()),
                numbers.deviceAddress() + 4L * index,
                ++holds[index],
                GREATER_OR_EQUAL
              }));
    } finally {
      context.pop();
    }
  }

  @Override
  public synchronized void resume(Queue queue) {
    numbers.view(4L * queue.index(), 4).putInt(0, holds[queue.index()]);
  }

  @Override
  public Set<String> calls() {
    return backend.faults().calls();
  }

  @Override
  public void failNext(String call, int nth, Status status, boolean sticky) {
    backend
        .faults()
        .failNth(
            call,
            nth,
            new HalException(
                sticky ? Status.UNAVAILABLE : status,
                "use " + nth + " of " + call + " was made to fail with " + status));
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
