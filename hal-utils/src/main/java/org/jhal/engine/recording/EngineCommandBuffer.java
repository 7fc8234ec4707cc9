// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.recording;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jhal.Args;
import org.jhal.BufferRef;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.IndirectWorkgroups;
import org.jhal.Kernel;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.base.Owner;
import org.jhal.engine.hazard.ProgramLine;

/**
 * The user's handle to a {@link Recording}: makes commands while it is recording. The recording
 * outlives the handle while operations use it.
 *
 * <p>Not thread-safe while recording.
 */
public final class EngineCommandBuffer implements CommandBuffer {
  private final DeviceCore<?> device;
  private final Mode mode;
  private final Recording recording;
  private final Owner owner;
  private String label = ""; // of the next commands; by the thread that records

  public EngineCommandBuffer(DeviceCore<?> device, Mode mode) {
    this.device = device;
    this.mode = Objects.requireNonNull(mode, "mode");
    this.recording = new Recording(device, mode == Mode.ONE_SHOT);
    this.owner = recording.ownedBy(this, device.tracesLeaks());
  }

  @Override
  public Device device() {
    return device.view();
  }

  public DeviceCore<?> core() {
    return device;
  }

  @Override
  public Mode mode() {
    return mode;
  }

  /** May be closed. */
  public Recording recording() {
    return recording;
  }

  public boolean isOpen() {
    return !owner.isClosed();
  }

  @Override
  public State state() {
    if (!isOpen()) {
      return State.CLOSED;
    }
    return !recording.isEnded()
        ? State.RECORDING
        : recording.isSubmitted() ? State.SUBMITTED : State.ENDED;
  }

  @Override
  public void fill(BufferRef target, long offset, long length, FillPattern pattern) {
    checkRecording();
    RecordedCommand command = new RecordedCommand();
    add(command, command.setFill(device, target, offset, length, pattern));
    Reference.reachabilityFence(target);
  }

  @Override
  public void update(ByteBuffer source, BufferRef target, long offset) {
    checkRecording();
    RecordedCommand command = new RecordedCommand();
    add(command, command.setUpdate(device, source, target, offset));
    Reference.reachabilityFence(target);
  }

  @Override
  public void copy(
      BufferRef source, long sourceOffset, BufferRef target, long targetOffset, long length) {
    checkRecording();
    RecordedCommand command = new RecordedCommand();
    add(command, command.setCopy(device, source, sourceOffset, target, targetOffset, length));
    Reference.reachabilityFence(source);
    Reference.reachabilityFence(target);
  }

  @Override
  public void dispatch(Kernel kernel, Workgroups count, Args args) {
    checkRecording();
    RecordedCommand command = new RecordedCommand();
    add(command, command.setDispatch(device, kernel, count, args));
    Reference.reachabilityFence(args);
  }

  @Override
  public void dispatch(Kernel kernel, IndirectWorkgroups count, Args args) {
    checkRecording();
    RecordedCommand command = new RecordedCommand();
    add(command, command.setDispatch(device, kernel, count, args));
    Reference.reachabilityFence(count);
    Reference.reachabilityFence(args);
  }

  @Override
  public void barrier() {
    checkRecording();
    RecordedCommand command = new RecordedCommand();
    command.setBarrier(device);
    recording.addBarrier(command);
    Reference.reachabilityFence(this); // or the recording might be reclaimed during the call
  }

  @Override
  public void label(String given) {
    checkRecording();
    label = Objects.requireNonNull(given, "label");
  }

  @Override
  public void end() {
    checkRecording();
    recording.end();
  }

  @Override
  public void close() {
    owner.close();
    Reference.reachabilityFence(this); // otherwise it might be reported as a leak during the close
  }

  /**
   * Adds a command and retains what it uses. Until then a buffer may be reachable through the
   * call's arguments only, so each caller fences them.
   */
  private void add(RecordedCommand command, boolean hasEffect) {
    if (device.findsHazards()) {
      command.setLine(ProgramLine.ofCaller());
    }
    command.setLabel(label);
    recording.add(command, hasEffect);
    Reference.reachabilityFence(this); // or the recording might be reclaimed during the call
  }

  private void checkRecording() {
    State now = state();
    if (now != State.RECORDING) {
      throw new HalException(
          Status.FAILED_PRECONDITION, "command buffer is " + now + ", not RECORDING");
    }
  }

  @Override
  public String toString() {
    return "command buffer of " + device + ", " + mode + ", " + state();
  }
}
