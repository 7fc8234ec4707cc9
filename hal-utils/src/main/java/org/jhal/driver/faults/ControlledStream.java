package org.jhal.driver.faults;

import org.jhal.BufferParams;
import org.jhal.HalException;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.NativeStream;
import org.jhal.driver.PreparedCommands;
import org.jhal.driver.Submission;
import org.jspecify.annotations.Nullable;

/** A stream of a {@link ControlledBackend}. */
final class ControlledStream<E> implements NativeStream<E> {
  private final ControlledBackend<E> device;
  private final NativeStream<E> real;

  ControlledStream(ControlledBackend<E> device, NativeStream<E> real) {
    this.device = device;
    this.real = real;
  }

  @Override
  public long bindToThread() {
    return real.bindToThread();
  }

  @Override
  public void unbindFromThread(long token) {
    real.unbindFromThread(token);
  }

  @Override
  public NativeStream<E> real() {
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
  public void recordEvent(E event) {
    device.run("recordEvent", () -> real.recordEvent(event));
  }

  @Override
  public void waitEvent(E event) {
    device.run("waitEvent", () -> real.waitEvent(event));
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
  public void issue(CommandList commands, Submission submission) {
    ControlledSubmission controlled = new ControlledSubmission(device, submission);
    device.run("issue", () -> real.issue(commands, controlled));
  }

  @Override
  public DeviceMemory allocAsync(long bytes, BufferParams params, Submission submission) {
    return device.call("allocAsync", () -> real.allocAsync(bytes, params, submission));
  }

  @Override
  public void freeAsync(DeviceMemory memory) {
    device.run("freeAsync", () -> real.freeAsync(memory));
  }

  @Override
  public boolean isIdle() {
    return real.isIdle(); // the real one, even after an injected loss
  }

  @Override
  public void close() {
    real.close();
  }
}
