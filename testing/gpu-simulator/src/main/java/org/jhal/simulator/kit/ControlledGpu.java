// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.kit;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceUri;
import org.jhal.Status;
import org.jhal.cts.Controls;
import org.jhal.driver.NativeStream;
import org.jhal.engine.EngineDevice;
import org.jhal.gpu.GpuDevice;
import org.jhal.gpu.GpuDriver;
import org.jhal.gpu.runtime.GpuMemory;
import org.jhal.gpu.stream.GpuStream;
import org.jhal.testkit.ControlledBackend;
import org.jhal.testkit.DeviceControls;
import org.jspecify.annotations.Nullable;

/**
 * Devices in which tests make calls fail, and hold streams: a held stream waits for a number in
 * memory that the host writes.
 */
public final class ControlledGpu extends DeviceControls implements Controls {
  /** A stream that is still held when its device has closed continues to poll its number. */
  private static final List<GpuMemory> KEPT = new ArrayList<>();

  /** Makes a stream wait until the number at an address is at least a value. */
  @FunctionalInterface
  public interface WaitForNumber {
    /** The device is bound. */
    void in(long stream, long address, int value);
  }

  private final GpuDevice gpu;
  private final WaitForNumber wait;
  private final GpuMemory numbers; // one for each stream
  private final int library; // the index of the stream of a library's collectives
  private final int[] holds; // how often each stream was held; guarded by this

  /** Releases the stream of a library's collectives; null while it is not held. Guarded by this. */
  private @Nullable Runnable collectives;

  private ControlledGpu(
      EngineDevice<?> device, ControlledBackend<?> backend, GpuDevice gpu, WaitForNumber wait) {
    super(device, backend, device::lose);
    this.gpu = gpu;
    this.wait = wait;
    // The streams of the queues, then the hidden one and that of the runtime's library, which are
    // created for the first group, and those of acquired queues.
    this.library = device.queueCount() + 1;
    this.holds = new int[library + 1 + Device.MAX_ACQUIRED_QUEUES];
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
  }

  /** Opens a device that {@link #of} knows. */
  public static Device open(GpuDriver driver, String uri) {
    return driver.open(DeviceUri.parse(uri), ControlledBackend::new);
  }

  /** The controls of a device from {@link #open}; nothing for any other. */
  public static Optional<Controls> of(Device device, WaitForNumber wait) {
    return device instanceof EngineDevice<?> engine
            && engine.backend() instanceof ControlledBackend<?> backend
            && backend.real() instanceof GpuDevice gpu
        ? Optional.of(new ControlledGpu(engine, backend, gpu, wait))
        : Optional.empty();
  }

  @Override
  protected Runnable hold(int index, NativeStream<?> stream) {
    GpuStream held = (GpuStream) stream;
    Runnable release = hold(index, held.handle());
    held.lend(); // so that what is issued from now on is behind the wait
    return release;
  }

  private synchronized Runnable hold(int index, long stream) {
    int value = ++holds[index];
    wait.in(stream, numbers.address() + 4L * index, value);
    return () -> numbers.map(4L * index, 4).bytes().putInt(0, value);
  }

  /**
   * Holds the stream of a library's collectives as well. A drain releases it and does not wait for
   * it: it waits for all ranks' devices, and those may be held.
   */
  @Override
  public synchronized boolean pauseGroups() {
    if (!super.pauseGroups()) {
      return false;
    }
    Long stream = gpu.groupStreamIfMade();
    if (stream != null && collectives == null) {
      long token = gpu.bindToThread();
      try {
        collectives = hold(library, stream);
      } finally {
        gpu.unbindFromThread(token);
      }
    }
    return true;
  }

  @Override
  public synchronized void resumeGroups() {
    super.resumeGroups();
    if (collectives != null) {
      collectives.run();
      collectives = null;
    }
  }

  @Override
  public void failNext(String call, int nth, Status status, boolean sticky) {
    failNth(call, nth, Controls.injected(call, nth, status, sticky));
  }
}
