// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import java.util.HashSet;
import java.util.Set;
import org.jhal.Device;
import org.jhal.DeviceQueue;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.engine.EngineDevice;

/**
 * Controls an open mock device in tests.
 *
 * <p>Thread-safe.
 */
public final class MockControls {
  private final EngineDevice<?> engine;
  private final MockDevice device;

  MockControls(EngineDevice<?> engine, MockDevice device) {
    this.engine = engine;
    this.device = device;
  }

  /**
   * The controls of a device.
   *
   * @throws HalException INVALID_ARGUMENT if it is not an open device of this driver
   */
  public static MockControls of(Device device) {
    if (device instanceof EngineDevice<?> engine && engine.backend() instanceof MockDevice mock) {
      return new MockControls(engine, mock);
    }
    throw new HalException(Status.INVALID_ARGUMENT, device + " is not a device of the mock driver");
  }

  /** The calls that the device makes and that {@link #failNth} takes. */
  public Set<String> calls() {
    Set<String> calls = new HashSet<>(device.faults().calls());
    if (!device.outcomesCanFail()) {
      calls.remove("outcome");
    }
    return Set.copyOf(calls);
  }

  /** Pauses the stream of a queue before its next task. Work is still accepted and issued. */
  public void pause(DeviceQueue queue) {
    MockStream stream = device.stream(queue.index());
    if (stream != null) { // otherwise, the queue is closed
      stream.setPaused(true);
    }
  }

  public void resume(DeviceQueue queue) {
    MockStream stream = device.stream(queue.index());
    if (stream != null) {
      stream.setPaused(false);
    }
  }

  /** Resumes all streams, also hidden ones and those of acquired queues. */
  public void resumeAll() {
    device.resumeAll();
  }

  /**
   * Pauses the hidden stream that serves the groups of this device.
   *
   * @return false if there is none, as the device is in no group
   */
  public boolean pauseGroups() {
    return setGroupsPaused(true);
  }

  /** Resumes the hidden stream, if there is one. */
  public void resumeGroups() {
    setGroupsPaused(false);
  }

  private boolean setGroupsPaused(boolean paused) {
    MockStream stream = device.stream(engine.queueCount()); // it comes after those of the queues
    if (stream == null) {
      return false;
    }
    stream.setPaused(paused);
    return true;
  }

  /**
   * Makes a call of the driver fail once.
   *
   * @param call one of {@link #calls()}
   * @param nth which use fails, counted from 1, starting now
   * @param failure the failure; with UNAVAILABLE the device is lost from then on
   * @throws HalException INVALID_ARGUMENT for an unknown call; OUT_OF_RANGE if {@code nth} is less
   *     than 1
   */
  public void failNth(String call, int nth, HalException failure) {
    device.faults().failNth(call, nth, failure);
  }

  /**
   * From now on only the call that fails with UNAVAILABLE, or {@link #lose}, reports the loss, as
   * do queries about work that was issued before. Other calls seem to succeed without effect.
   */
  public void reportLossOnce() {
    device.reportLossOnce();
  }

  /**
   * The unreleased native objects of this device, as text: events, streams, bytes of memory,
   * modules. Empty if there are none.
   */
  public String leftovers() {
    return device.leftovers();
  }

  /** Cancels all pending failures. */
  public void clearFaults() {
    device.faults().clear();
  }

  /** Loses the device, as if the native runtime had reported a fatal error. */
  public void lose(HalException cause) {
    device.lose(cause);
    engine.lose(cause);
  }
}
