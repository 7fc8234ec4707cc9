package org.jhal.simulator.kit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceQueue;
import org.jhal.DeviceUri;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cts.Controls;
import org.jhal.driver.faults.ControlledBackend;
import org.jhal.driver.support.BackOff;
import org.jhal.engine.EngineDevice;
import org.jhal.gpu.GpuDevice;
import org.jhal.gpu.GpuDriver;
import org.jhal.gpu.runtime.GpuEvent;
import org.jhal.gpu.runtime.GpuMemory;
import org.jhal.gpu.stream.GpuStream;

/**
 * Devices in which tests make calls fail, and hold streams: a held stream waits for a number in
 * memory that the host writes.
 */
public final class ControlledGpu implements Controls {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** A stream that is still held when its device has closed goes on looking at its number. */
  private static final List<GpuMemory> KEPT = new ArrayList<>();

  /** Has a stream wait until the number at an address is at least a value. */
  @FunctionalInterface
  public interface WaitForNumber {
    /** The device is bound. */
    void in(long stream, long address, int value);
  }

  private final EngineDevice<?> device;
  private final ControlledBackend<GpuEvent> backend;
  private final GpuDevice gpu;
  private final WaitForNumber wait;
  private final GpuMemory numbers; // one for each stream
  private final int[] holds; // how often each stream was held; guarded by this

  private ControlledGpu(
      EngineDevice<?> device,
      ControlledBackend<GpuEvent> backend,
      GpuDevice gpu,
      WaitForNumber wait) {
    this.device = device;
    this.backend = backend;
    this.gpu = gpu;
    this.wait = wait;
    // Those of the queues, then the hidden one and the one of the runtime's library, which are made
    // for the first group.
    this.holds = new int[device.queueCount() + 2];
    int bytes = 4 * holds.length;
    long token = gpu.bindToThread();
    try {
      numbers = (GpuMemory) gpu.allocate(bytes, BufferParams.HOST);
    } finally {
      gpu.unbindFromThread(token);
    }
    numbers.map(0, bytes).bytes().put(new byte[bytes]);
    synchronized (KEPT) {
      KEPT.add(numbers);
    }
    backend.setDrain(this::drain);
  }

  /**
   * The stream of a library's collectives, which is the last one, is left alone: it only waits, for
   * all ranks' devices, and those may be held.
   */
  private void drain() {
    long token = gpu.bindToThread();
    try {
      for (int i = 0; i < holds.length; i++) {
        resume(i);
      }
      int count = Math.min(backend.streamCount(), device.queueCount() + 1);
      for (int i = 0; i < count; i++) {
        GpuStream stream = stream(i);
        boolean ignored =
            BackOff.await(this, System.nanoTime() + PATIENCE.toNanos(), () -> isOver(stream));
      }
    } finally {
      gpu.unbindFromThread(token);
    }
  }

  private static boolean isOver(GpuStream stream) {
    try {
      return stream.isIdle();
    } catch (HalException e) {
      return true; // it will not tell any more
    }
  }

  private GpuStream stream(int index) {
    return (GpuStream) backend.stream(index);
  }

  /** Opens a device that {@link #of} knows. */
  public static Device open(GpuDriver driver, String uri) {
    return driver.open(DeviceUri.parse(uri), ControlledBackend::new);
  }

  /** The controls of a device from {@link #open}; nothing for any other. */
  @SuppressWarnings("unchecked") // what is in front of a device has its events
  public static Optional<Controls> of(Device device, WaitForNumber wait) {
    if (device instanceof EngineDevice<?> engine
        && engine.backend() instanceof ControlledBackend<?> backend
        && backend.real() instanceof GpuDevice gpu) {
      return Optional.of(
          new ControlledGpu(engine, (ControlledBackend<GpuEvent>) backend, gpu, wait));
    }
    return Optional.empty();
  }

  @Override
  public void pause(DeviceQueue queue) {
    pause(queue.index());
  }

  private void pause(int index) {
    pause(index, stream(index).handle());
  }

  private synchronized void pause(int index, long stream) {
    long token = gpu.bindToThread();
    try {
      wait.in(stream, numbers.address() + 4L * index, ++holds[index]);
    } finally {
      gpu.unbindFromThread(token);
    }
  }

  @Override
  public void resume(DeviceQueue queue) {
    resume(queue.index());
  }

  private synchronized void resume(int index) {
    numbers.map(4L * index, 4).bytes().putInt(0, holds[index]);
  }

  @Override
  public boolean pauseGroups() {
    int index = device.queueCount(); // it comes after those of the queues
    if (index == backend.streamCount()) {
      return false;
    }
    pause(index);
    Long collectives = gpu.groupStreamIfMade();
    if (collectives != null) {
      pause(index + 1, collectives);
    }
    return true;
  }

  @Override
  public void resumeGroups() {
    resume(device.queueCount());
    resume(device.queueCount() + 1);
  }

  @Override
  public Set<String> calls() {
    return backend.faults().calls();
  }

  @Override
  public void failNext(String call, int nth, Status status, boolean sticky) {
    backend.faults().failNth(call, nth, Controls.injected(call, nth, status, sticky));
  }

  @Override
  public void loseDevice(HalException cause) {
    backend.lose(cause);
    device.lose(cause);
  }

  @Override
  public void reset() {
    backend.faults().clear();
    for (int i = 0; i < holds.length; i++) {
      resume(i);
    }
  }
}
