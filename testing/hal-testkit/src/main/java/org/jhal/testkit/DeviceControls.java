// SPDX-License-Identifier: Apache-2.0
package org.jhal.testkit;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jhal.Device;
import org.jhal.DeviceQueue;
import org.jhal.HalException;
import org.jhal.driver.NativeStream;
import org.jhal.driver.support.BackOff;
import org.jhal.driver.support.BoundCalls;
import org.jhal.driver.support.Faults;

/**
 * Controls an open device whose backend is a {@link ControlledBackend}: makes calls fail, holds
 * streams, and loses the device. A driver's subclass says how one of its streams is held.
 *
 * <p>The public methods are those of the suite's {@code Controls}, except that {@link #failNth}
 * gets the failure itself. So a subclass that implements that interface adds {@code failNext}.
 *
 * <p>Thread-safe.
 */
public abstract class DeviceControls {
  private static final Duration DRAIN_LIMIT = Duration.ofSeconds(30);

  private final Device device;
  private final ControlledBackend<?> backend;
  private final Consumer<HalException> loss;
  private final List<Faults> faults;

  /** What releases the streams that are held, by their index. */
  @GuardedBy("this")
  private final Map<Integer, Runnable> holds = new HashMap<>();

  /**
   * Takes over the drain of {@code backend}.
   *
   * @param device the open device
   * @param backend in front of the driver's own
   * @param loss loses the device, such as {@code EngineDevice::lose}
   * @param inner faults of calls that {@code backend} does not see
   */
  protected DeviceControls(
      Device device, ControlledBackend<?> backend, Consumer<HalException> loss, Faults... inner) {
    this.device = device;
    this.backend = backend;
    this.loss = loss;
    this.faults = Stream.concat(Stream.of(backend.faults()), Stream.of(inner)).toList();
    backend.setDrain(this::drain);
  }

  /**
   * Makes a stream wait behind what is in it. Called with the device bound. All other streams go
   * on: where several share a native queue, a wait in that queue would hold them, too, so the
   * driver keeps back what is submitted to the held stream.
   *
   * @param index the stream's, from 0; that of the hidden stream follows those of the queues
   * @param stream the driver's own
   * @return ends the wait; called once, with the device bound
   */
  protected abstract Runnable hold(int index, NativeStream<?> stream);

  /**
   * Lets everything end that was handed over. The second hidden stream is left alone: it only waits
   * for collectives, and so for other devices, whose streams may be held.
   */
  private void drain() {
    resumeAll();
    for (int index : backend.streams()) {
      if (index == device.queueCount() + 1) {
        continue;
      }
      NativeStream<?> stream = backend.stream(index);
      long deadline = System.nanoTime() + DRAIN_LIMIT.toNanos();
      BoundCalls.run(
          backend,
          () -> {
            BackOff.await(this, deadline, () -> isOver(stream));
          });
    }
  }

  private static boolean isOver(NativeStream<?> stream) {
    try {
      return stream.isIdle();
    } catch (HalException e) {
      return true; // it cannot be asked any more
    }
  }

  /** Holds the stream of a queue; has no effect if it is held already. */
  public final void pause(DeviceQueue queue) {
    pause(queue.index());
  }

  private synchronized void pause(int stream) {
    if (holds.containsKey(stream)) {
      return;
    }
    long token = backend.bindToThread();
    try {
      holds.put(stream, hold(stream, backend.stream(stream)));
    } finally {
      backend.unbindFromThread(token);
    }
  }

  /** Releases the stream of a queue, if it is held. */
  public final void resume(DeviceQueue queue) {
    resume(queue.index());
  }

  private synchronized void resume(int stream) {
    Runnable release = holds.get(stream);
    if (release != null) {
      BoundCalls.run(backend, release);
      holds.remove(stream); // not before: what could not be released stays held
    }
  }

  /** Holds the hidden stream for groups, if there is one, and returns whether there is. */
  public boolean pauseGroups() {
    int hidden = device.queueCount(); // it comes after those of the queues
    if (!backend.streams().contains(hidden)) {
      return false;
    }
    pause(hidden);
    return true;
  }

  /** Releases the hidden stream. Called for each drain and reset as well. */
  public void resumeGroups() {
    resume(device.queueCount());
  }

  private void resumeAll() {
    backend.streams().forEach(this::resume);
  }

  /** The names of all calls that can fail. */
  public final Set<String> calls() {
    Set<String> calls = new HashSet<>();
    faults.forEach(some -> calls.addAll(some.calls()));
    return calls;
  }

  /**
   * Makes a call fail once; see {@link Faults#failNth}.
   *
   * @throws HalException INVALID_ARGUMENT for an unknown call; OUT_OF_RANGE if {@code nth < 1}
   */
  public final void failNth(String call, int nth, HalException failure) {
    Faults its =
        faults.stream()
            .filter(some -> some.calls().contains(call))
            .findFirst()
            .orElse(backend.faults()); // which rejects it
    its.failNth(call, nth, failure);
  }

  /** Loses the device, when everything that was handed over has ended. */
  public final void loseDevice(HalException cause) {
    backend.lose(cause);
    loss.accept(cause);
  }

  /** Cancels all pending faults, and releases all streams. */
  public final void reset() {
    faults.forEach(Faults::clear);
    resumeAll();
  }
}
