// SPDX-License-Identifier: Apache-2.0
package org.jhal.testkit;

import org.jhal.BufferParams;
import org.jhal.HalException;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.NativeStream;
import org.jhal.driver.PreparedCommands;
import org.jhal.driver.StepwiseStream;
import org.jhal.driver.StreamBatch;
import org.jhal.driver.StreamSteps;
import org.jhal.driver.Submission;
import org.jspecify.annotations.Nullable;

/**
 * A stream of a {@link ControlledBackend}. It hands batches on as they are; but while failures are
 * pending, or uses are counted, it takes the steps one by one, so that each can fail.
 */
final class ControlledStream<E> extends StepwiseStream<E> {
  private final ControlledBackend<E> device;
  private final NativeStream<E> real;
  private final StreamSteps<E> steps;

  ControlledStream(ControlledBackend<E> device, NativeStream<E> real) {
    this.device = device;
    this.real = real;
    this.steps = new StreamSteps<>(real);
  }

  @Override
  public long bindToThread() {
    return real.bindToThread();
  }

  @Override
  public void unbindFromThread(long token) {
    real.unbindFromThread(token);
  }

  /** The driver's own stream. */
  NativeStream<E> real() {
    return real;
  }

  @Override
  public int capacity() {
    return real.capacity();
  }

  @Override
  public int weight(Command command) {
    return real.weight(command);
  }

  @Override
  public int weight(PreparedCommands prepared) {
    return real.weight(prepared);
  }

  @Override
  public int timingWeight(boolean isRecorded) {
    return real.timingWeight(isRecorded);
  }

  @Override
  public int commandTimingWeight() {
    return real.commandTimingWeight();
  }

  @Override
  public boolean issueMayBlock(CommandList commands) {
    return real.issueMayBlock(commands);
  }

  @Override
  public boolean allocMayBlock(BufferParams params) {
    return real.allocMayBlock(params);
  }

  @Override
  public boolean isInOrder() {
    return real.isInOrder();
  }

  @Override
  public E createEvent() {
    return device.call("createEvent", real::createEvent);
  }

  @Override
  public void destroyEvent(E event) {
    real.destroyEvent(event);
  }

  @Override
  public @Nullable Throwable submit(StreamBatch<E> batch) {
    if (device.faults().isArmed()) {
      device.run("submit", () -> {}); // if this fails, nothing has reached the stream
      return super.submit(batch);
    }
    return device.call("submit", () -> real.submit(new ControlledBatch<>(device, batch)));
  }

  @Override
  public boolean gathers() {
    return real.gathers();
  }

  @Override
  public boolean isBusy() {
    return real.isBusy();
  }

  /** Also after an injected loss, so that the real stream becomes idle. */
  @Override
  public void flush() {
    real.flush();
  }

  @Override
  protected void waitEvent(E event) {
    device.run("waitEvent", () -> steps.waitEvent(event));
  }

  @Override
  protected void recordEvent(E event) {
    device.run("recordEvent", () -> steps.recordEvent(event));
  }

  @Override
  public boolean across(boolean mayBlock, Runnable body) {
    return real.across(mayBlock, body);
  }

  @Override
  public boolean queryEvent(E event) {
    boolean hasFired = device.call("queryEvent", () -> real.queryEvent(event));
    device.checkAlive(); // the event may have fired because the lost device was drained
    return hasFired;
  }

  /**
   * The real call is made outside {@link ControlledBackend#call}: losing the device waits for such
   * calls, and this one ends only when the device is drained.
   */
  @Override
  public void synchronizeEvent(E event) {
    device.run("synchronizeEvent", () -> {});
    real.synchronizeEvent(event);
    device.checkAlive(); // the event may have fired because the lost device was drained
  }

  /** Asks the driver even if a failure is injected, since each recording is asked about once. */
  @Override
  public @Nullable HalException outcome(E event) {
    HalException failure = real.outcome(event);
    try {
      device.run("outcome", () -> {});
      return failure;
    } catch (HalException injected) {
      return injected;
    }
  }

  @Override
  protected void issue(CommandList commands, Submission submission) {
    device.run("issue", () -> steps.issue(commands, new ControlledSubmission(device, submission)));
  }

  @Override
  protected DeviceMemory allocAsync(long bytes, BufferParams params, Submission submission) {
    return device.call(
        "allocAsync",
        () -> steps.allocAsync(bytes, params, new ControlledSubmission(device, submission)));
  }

  @Override
  protected void freeAsync(DeviceMemory memory) {
    device.run("freeAsync", () -> steps.freeAsync(memory));
  }

  @Override
  public boolean isIdle() {
    return real.isIdle(); // the real one, even after an injected loss
  }

  @Override
  public void close() {
    device.remove(real);
    real.close();
  }
}
